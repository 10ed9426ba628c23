// Measures time on this machine. Each sample also has the signs of other load that Linux reports.
#pragma once

#include "drumlin/driver/tuner/Tuner.h"

#include <functional>
#include <string>

namespace drumlin {

// A lock that only one process on the machine can hold at a time, since tuners that measure
// concurrently would disturb each other. If the lock's file can't be opened, acquire() succeeds
// without locking.
class MachineLock {
public:
  explicit MachineLock(const std::string &path);
  ~MachineLock();
  MachineLock(const MachineLock &) = delete;
  MachineLock &operator=(const MachineLock &) = delete;

  // Waits for at most `seconds`; returns false if another process held the lock for all of this
  // time.
  bool acquire(double seconds);
  void release();
  // Returns the path of a file that all users share, in the folder of temporary files.
  static std::string usualPath();

private:
  int file = -1;
};

// Runs candidates on the calling thread and measures the thread's processor time, so time in which
// the thread waits for a processor doesn't count. Samples therefore stay comparable on a busy
// machine, where all long runs are interrupted. With a given time budget, a busy machine takes as
// many samples as a quiet one. Not thread-safe.
class MachineClock : public TunerClock {
public:
  // Runs a candidate once; `sample` is the index of the candidate's current sample.
  using Run = std::function<Status(int64_t sample)>;
  // Makes a clock for candidates, each with its function in `runs`. `lock` may be null; otherwise,
  // a sample waits at most `lockSeconds` for the lock.
  MachineClock(std::vector<Run> runs, MachineLock *lock, double lockSeconds = 5);
  ~MachineClock() override;
  MachineClock(const MachineClock &) = delete;
  MachineClock &operator=(const MachineClock &) = delete;

  // Sets the number of runs per sample so that a sample of the first candidate takes `seconds`. All
  // candidates get this number of runs. The time of a sample is the mean time of its runs.
  Status setSampleTime(double seconds);

  Result<TunerSample> run(size_t candidate) override;
  double now() override;

private:
  int64_t stolenTicks(int processor) const;

  std::vector<Run> runs;
  std::vector<int64_t> samples; // samples taken so far, by candidate
  MachineLock *lock;
  double lockSeconds;
  int64_t repeats = 1;
  int statistics = -1; // file descriptor of /proc/stat
};

} // namespace drumlin
