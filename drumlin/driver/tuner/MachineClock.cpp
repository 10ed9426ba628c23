#include "drumlin/driver/tuner/MachineClock.h"

#include <algorithm>
#include <chrono>
#include <cmath>
#include <cstdlib>
#include <cstring>
#include <fcntl.h>
#include <filesystem>
#include <sched.h>
#include <sys/file.h>
#include <sys/resource.h>
#include <thread>
#include <time.h>
#include <unistd.h>

namespace drumlin {

static double secondsNow() {
  return std::chrono::duration<double>(std::chrono::steady_clock::now().time_since_epoch()).count();
}

// Returns the processor time of the calling thread.
static double processorSeconds() {
  timespec time = {};
  clock_gettime(CLOCK_THREAD_CPUTIME_ID, &time);
  return static_cast<double>(time.tv_sec) + static_cast<double>(time.tv_nsec) * 1e-9;
}

//===- the lock ---------------------------------------------------------------------===//

std::string MachineLock::usualPath() {
  std::error_code error;
  std::filesystem::path folder = std::filesystem::temp_directory_path(error);
  return (error ? std::filesystem::path("/tmp") : folder) / "drumlin-tuner.lock";
}

MachineLock::MachineLock(const std::string &path) {
  // First opens without O_CREAT: with O_CREAT, Linux may refuse to open another user's file.
  // Locking needs only read access.
  file = open(path.c_str(), O_RDONLY | O_CLOEXEC | O_NOFOLLOW);
  if (file < 0) {
    file = open(path.c_str(), O_RDONLY | O_CREAT | O_CLOEXEC | O_NOFOLLOW, 0444);
  }
}

MachineLock::~MachineLock() {
  if (file >= 0) {
    close(file);
  }
}

bool MachineLock::acquire(double seconds) {
  if (file < 0) {
    return true;
  }
  double end = secondsNow() + seconds;
  while (flock(file, LOCK_EX | LOCK_NB) != 0) {
    if (secondsNow() >= end) {
      return false;
    }
    std::this_thread::sleep_for(std::chrono::microseconds(200));
  }
  return true;
}

void MachineLock::release() {
  if (file >= 0) {
    flock(file, LOCK_UN);
  }
}

//===- the clock --------------------------------------------------------------------===//

MachineClock::MachineClock(std::vector<Run> runs, MachineLock *lock, double lockSeconds)
    : runs(std::move(runs)), samples(this->runs.size()), lock(lock), lockSeconds(lockSeconds),
      statistics(open("/proc/stat", O_RDONLY | O_CLOEXEC)) {}

MachineClock::~MachineClock() {
  if (statistics >= 0) {
    close(statistics);
  }
}

double MachineClock::now() { return processorSeconds(); }

// Returns the ticks stolen from a processor: the eighth number of the line `cpuN …` (see
// proc_stat(5)); 0 if the line has no such number.
int64_t MachineClock::stolenTicks(int processor) const {
  char text[16 * 1024];
  ssize_t size = statistics < 0 ? -1 : pread(statistics, text, sizeof(text) - 1, 0);
  if (size <= 0) {
    return 0;
  }
  text[size] = 0;
  std::string wanted = "\ncpu" + std::to_string(processor) + " ";
  const char *at = std::strstr(text, wanted.c_str());
  if (!at) {
    return 0;
  }
  at += wanted.size();
  int64_t value = 0;
  for (int field = 0; field < 8; ++field) {
    char *end = nullptr;
    value = std::strtoll(at, &end, 10);
    if (end == at) {
      return 0;
    }
    at = end;
  }
  return value;
}

static int64_t switchesOfThread() {
  rusage usage = {};
  getrusage(RUSAGE_THREAD, &usage);
  return usage.ru_nivcsw;
}

Result<TunerSample> MachineClock::run(size_t candidate) {
  TunerSample sample;
  bool held = !lock || lock->acquire(lockSeconds);
  sample.disturbance.lockMissed = !held;
  int processor = sched_getcpu();
  int64_t stolen = stolenTicks(processor);
  int64_t switches = switchesOfThread();
  Status status = Done{};
  double begin = processorSeconds();
  for (int64_t i = 0; i < repeats && status; ++i) {
    status = runs[candidate](samples[candidate]);
  }
  double end = processorSeconds();
  sample.disturbance.contextSwitches = switchesOfThread() - switches;
  sample.disturbance.stolenTicks = stolenTicks(processor) - stolen;
  sample.disturbance.migrated = sched_getcpu() != processor;
  if (lock && held) {
    lock->release();
  }
  ++samples[candidate];
  if (!status) {
    return status.error();
  }
  sample.seconds = (end - begin) / static_cast<double>(repeats);
  return sample;
}

Status MachineClock::setSampleTime(double seconds) {
  repeats = 1;
  double shortest = seconds;
  // The first of these runs isn't representative, since memory is mapped during it.
  for (int i = 0; i < 4; ++i) {
    Result<TunerSample> sample = run(0);
    if (!sample) {
      return sample.error();
    }
    if (i > 0) {
      shortest = std::min(shortest, sample->seconds);
    }
  }
  repeats =
      std::max<int64_t>(static_cast<int64_t>(std::ceil(seconds / std::max(shortest, 1e-8))), 1);
  return Done{};
}

} // namespace drumlin
