#include "drumlin/runtime/cpu/Crowding.h"

#include <gtest/gtest.h>

namespace drumlin {
namespace {

using namespace std::chrono_literals;

// Launches one after another, each of which begins when the one before has ended.
struct Launches {
  Crowding crowding;
  Crowding::Clock::time_point now = Crowding::Clock::time_point(1h);

  // Returns how many workers a launch calls, whose caller works and then waits for them this long.
  unsigned launch(Crowding::Clock::duration works, Crowding::Clock::duration waits) {
    const unsigned called = crowding.admit(15, now);
    const Crowding::Clock::time_point began = now, worked = began + works;
    now = worked;
    if (called > 0) {
      now += waits;
      crowding.note(called, began, worked, now);
    }
    return called;
  }
};

TEST(Crowding, CallsAllWorkersIfNobodyWaitsForThem) {
  Launches launches{Crowding(16)};
  for (int i = 0; i < 100; ++i) {
    EXPECT_EQ(launches.launch(1ms, 50us), 15U);
  }
}

TEST(Crowding, CallsNoMoreWorkersThanThereAreProcessors) {
  Launches launches{Crowding(4)}, ofOneProcessor{Crowding(1)};
  EXPECT_EQ(launches.launch(1ms, 0ms), 3U);
  EXPECT_EQ(ofOneProcessor.launch(1ms, 0ms), 0U);
}

TEST(Crowding, CallsFewerWorkersThatAreLate) {
  Launches launches{Crowding(16)};
  for (unsigned expected : {15U, 7U, 3U, 1U, 0U}) {
    EXPECT_EQ(launches.launch(100us, 4ms), expected);
  }
}

// While all workers are late, trials become rare. Once none is late, all are soon called again.
TEST(Crowding, TriesMoreWorkersFromTimeToTime) {
  Launches launches{Crowding(16)};
  int trials = 0;
  for (const auto end = launches.now + 10s; launches.now < end;) {
    trials += launches.launch(100us, 4ms) > 0 ? 1 : 0;
  }
  EXPECT_GT(trials, 10);
  EXPECT_LT(trials, 100);
  const auto idle = launches.now;
  while (launches.launch(100us, 0us) < 15) {
    ASSERT_LT(launches.now - idle, 1s);
  }
}

} // namespace
} // namespace drumlin
