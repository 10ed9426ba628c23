// Waiting awake for what is likely to come soon.
#pragma once

#include "drumlin/runtime/cpu/Processor.h"

#include <chrono>

namespace drumlin {

// Waking a sleeping thread costs about as long as this: spinning for longer costs more than it can
// save.
inline constexpr auto spinTime = std::chrono::microseconds(40);

// Spins until `done` or the spin time is over; says which.
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
  } while (std::chrono::steady_clock::now() < end);
  return done();
}

} // namespace drumlin
