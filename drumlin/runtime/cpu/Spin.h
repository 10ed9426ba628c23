// Spinning while waiting for conditions that are likely to be met soon.
#pragma once

#include "drumlin/runtime/cpu/Processor.h"

#include <chrono>
#include <sched.h>

namespace drumlin {

// The longest time to spin. Waking a sleeping thread costs about as long: spinning for longer costs
// more than it can save.
inline constexpr auto spinTime = std::chrono::microseconds(40);

// Spins until `done` or for at most spinTime; returns whether `done`. Offers the processor, before
// each reading of the clock, to threads that wait for it.
template <typename Condition> bool spinUntil(Condition done) {
  constexpr int pausesBetweenClocks = 64;
  auto end = std::chrono::steady_clock::now() + spinTime;
  do {
    for (int i = 0; i < pausesBetweenClocks; ++i) {
      if (done()) {
        return true;
      }
      pauseProcessor();
    }
    sched_yield();
  } while (std::chrono::steady_clock::now() < end);
  return done();
}

} // namespace drumlin
