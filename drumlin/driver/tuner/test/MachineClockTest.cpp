// Tests this machine's clock: the clock times runs, excludes other tuners, and notices
// disturbances.
#include "drumlin/driver/tuner/MachineClock.h"
#include "drumlin/support/diagnostics/CallErrors.h"

#include <gtest/gtest.h>

#include <atomic>
#include <chrono>
#include <filesystem>
#include <fstream>
#include <sched.h>
#include <thread>
#include <time.h>
#include <unistd.h>

namespace drumlin {

static std::string temporaryPath(const std::string &name) {
  return std::filesystem::temp_directory_path() /
         ("drumlin-clock-" + std::to_string(getpid()) + "-" + name);
}

static double processorSeconds() {
  timespec time = {};
  clock_gettime(CLOCK_THREAD_CPUTIME_ID, &time);
  return static_cast<double>(time.tv_sec) + static_cast<double>(time.tv_nsec) * 1e-9;
}

// Keeps the processor busy for this time.
static Status computeFor(double seconds) {
  double end = processorSeconds() + seconds;
  while (processorSeconds() < end) {
  }
  return Done{};
}

TEST(MachineClock, TimesAreThoseOfTheRuns) {
  MachineClock clock(
      {[](int64_t) { return computeFor(2e-3); }, [](int64_t) { return computeFor(8e-3); }},
      nullptr);
  double begin = clock.now();
  Result<TunerSample> first = clock.run(0), second = clock.run(1);
  ASSERT_TRUE(first);
  ASSERT_TRUE(second);
  EXPECT_GE(first->seconds, 2e-3);
  EXPECT_GE(second->seconds, 8e-3);
  EXPECT_LT(first->seconds, second->seconds);
  EXPECT_EQ(first->outsideSeconds, 0);
  EXPECT_GE(clock.now() - begin, 10e-3);
}

// Time in which a candidate waits doesn't count, whatever the candidate waits for.
TEST(MachineClock, WaitingIsNotTheCandidates) {
  MachineClock clock({[](int64_t) {
                       std::this_thread::sleep_for(std::chrono::milliseconds(30));
                       return computeFor(1e-3);
                     }},
                     nullptr);
  Result<TunerSample> sample = clock.run(0);
  ASSERT_TRUE(sample);
  EXPECT_GE(sample->seconds, 1e-3);
  EXPECT_LT(sample->seconds, 20e-3);
}

// All runs of a sample get the sample's number.
TEST(MachineClock, SamplesAreNumbered) {
  std::vector<int64_t> numbers;
  MachineClock clock({[&](int64_t sample) {
                        numbers.push_back(sample);
                        return Status(Done{});
                      },
                      [](int64_t) { return Status(Done{}); }},
                     nullptr);
  ASSERT_TRUE(clock.run(0));
  ASSERT_TRUE(clock.run(1));
  ASSERT_TRUE(clock.run(0));
  EXPECT_EQ(numbers, (std::vector<int64_t>{0, 1}));
}

// Short runs are repeated, the same number of times for all candidates. The time of a sample is the
// mean time of its runs.
TEST(MachineClock, ShortRunsAreRepeated) {
  int64_t counts[2] = {};
  MachineClock clock({[&](int64_t) {
                        ++counts[0];
                        return computeFor(200e-6);
                      },
                      [&](int64_t) {
                        ++counts[1];
                        return Status(Done{});
                      }},
                     nullptr);
  ASSERT_TRUE(clock.setSampleTime(5e-3));
  counts[0] = counts[1] = 0;
  ASSERT_TRUE(clock.run(0));
  ASSERT_TRUE(clock.run(1));
  EXPECT_EQ(counts[0], counts[1]);
  EXPECT_GT(counts[0], 1);
  EXPECT_LE(counts[0], 25);
}

TEST(MachineClock, AFailedRunIsItsDiagnostic) {
  MachineClock clock(
      {[](int64_t) { return Status(diagnose(errors::ProgramFailed, "broke", "there")); }}, nullptr);
  Result<TunerSample> sample = clock.run(0);
  ASSERT_FALSE(sample);
  EXPECT_EQ(sample.error().message, "broke");
  EXPECT_FALSE(clock.setSampleTime(1e-3));
}

// Only one of two locks on one file can be held at a time.
TEST(MachineLock, IsHeldByOne) {
  std::string path = temporaryPath("lock");
  MachineLock first(path), second(path);
  EXPECT_TRUE(first.acquire(0));
  EXPECT_FALSE(second.acquire(0.01));
  first.release();
  EXPECT_TRUE(second.acquire(0));
  second.release();
  EXPECT_TRUE(first.acquire(0));
  std::filesystem::remove(path);
}

TEST(MachineLock, WithoutAFileThereIsNone) {
  MachineLock lock("/proc/no such folder/lock");
  EXPECT_TRUE(lock.acquire(0));
  lock.release();
}

TEST(MachineClock, HoldsTheLockDuringARunOnly) {
  std::string path = temporaryPath("runs");
  MachineLock mine(path), other(path);
  bool heldInside = false;
  MachineClock clock({[&](int64_t) {
                       heldInside = !other.acquire(0);
                       return Status(Done{});
                     }},
                     &mine);
  Result<TunerSample> sample = clock.run(0);
  ASSERT_TRUE(sample);
  EXPECT_TRUE(heldInside);
  EXPECT_FALSE(sample->disturbance.lockMissed);
  EXPECT_TRUE(other.acquire(0));
  other.release();
  std::filesystem::remove(path);
}

// If the wait for another tuner takes too long, a sample is taken anyway, and marked as disturbed.
TEST(MachineClock, SaysThatAnotherTunerIsMeasuring) {
  std::string path = temporaryPath("other");
  MachineLock mine(path), other(path);
  ASSERT_TRUE(other.acquire(0));
  MachineClock clock({[](int64_t) { return Status(Done{}); }}, &mine, /*lockSeconds=*/0.01);
  Result<TunerSample> sample = clock.run(0);
  ASSERT_TRUE(sample);
  EXPECT_TRUE(sample->disturbance.lockMissed);
  // If a lock wasn't acquired, it isn't released after the sample.
  EXPECT_FALSE(mine.acquire(0));
  other.release();
  EXPECT_FALSE(clock.run(0)->disturbance.lockMissed);
  std::filesystem::remove(path);
}

// Several threads share one processor. A run that takes many time slices is interrupted. The clock
// notices this, unless no other thread ever got the processor.
TEST(MachineClock, SeesInterruptions) {
  cpu_set_t saved, one;
  ASSERT_EQ(sched_getaffinity(0, sizeof(saved), &saved), 0);
  CPU_ZERO(&one);
  CPU_SET(sched_getcpu(), &one);
  ASSERT_EQ(sched_setaffinity(0, sizeof(one), &one), 0);
  // The threads that are started below share this one processor.
  std::atomic<bool> stop = false;
  std::thread busy([&] {
    while (!stop) {
    }
  });
  MachineClock clock({[](int64_t) {
                       auto end = std::chrono::steady_clock::now() + std::chrono::milliseconds(400);
                       while (std::chrono::steady_clock::now() < end) {
                       }
                       return Status(Done{});
                     }},
                     nullptr);
  Result<TunerSample> sample = clock.run(0);
  stop = true;
  busy.join();
  sched_setaffinity(0, sizeof(saved), &saved);
  ASSERT_TRUE(sample);
  EXPECT_GT(sample->disturbance.contextSwitches, 0);
  EXPECT_TRUE(sample->disturbance.any());
}

} // namespace drumlin
