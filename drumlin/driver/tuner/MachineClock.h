// The clock of this machine, with the evidence of other work that Linux gives.
#pragma once

#include "drumlin/driver/tuner/Tuner.h"

#include <functional>
#include <string>

namespace drumlin {

// Held by one process of the machine at a time: two tuners that measure side by side would disturb
// each other all the time. Where the file can't be opened, nothing is locked.
class MachineLock {
public:
  explicit MachineLock(const std::string &path);
  ~MachineLock();
  MachineLock(const MachineLock &) = delete;
  MachineLock &operator=(const MachineLock &) = delete;

  // Waits for `seconds` at most; false where others held it for that long.
  bool acquire(double seconds);
  void release();
  // In the folder of temporary files, for all users.
  static std::string usualPath();

private:
  int file = -1;
};

// Runs happen on the calling thread, and all times are those for which that thread had a processor:
// waiting for one is not the candidate's. Where all samples are disturbed, as those of long runs on
// a busy machine are, they are still comparable; and a budget buys as many there as on a quiet one.
// Not to be shared among threads.
class MachineClock : public TunerClock {
public:
  // One run, with the number of the candidate's sample that it is of.
  using Run = std::function<Status(int64_t sample)>;
  // One of each candidate. `lock` may be null; a sample waits for it so many seconds at most.
  MachineClock(std::vector<Run> runs, MachineLock *lock, double lockSeconds = 5);
  ~MachineClock() override;
  MachineClock(const MachineClock &) = delete;
  MachineClock &operator=(const MachineClock &) = delete;

  // Makes a sample of so many runs of a candidate that those of the first one take this long
  // together; as many for every candidate. A sample's time is that of one run.
  Status setSampleTime(double seconds);

  Result<TunerSample> run(size_t candidate) override;
  double now() override;

private:
  int64_t stolenTicks(int processor) const;

  std::vector<Run> runs;
  std::vector<int64_t> samples; // so far
  MachineLock *lock;
  double lockSeconds;
  int64_t repeats = 1;
  int statistics = -1; // /proc/stat
};

} // namespace drumlin
