// Ctrl-C while programs compile, and the end of a process that compiles.
#pragma once

#include <cstdint>

namespace drumlin {

// While one lives, a signal of Ctrl-C (SIGINT) that the process handles is seen here as well; where
// none handles it, it ends the process as ever. Frameworks compile on any thread.
class Interruption {
public:
  Interruption();
  ~Interruption();
  Interruption(const Interruption &) = delete;
  Interruption &operator=(const Interruption &) = delete;

  // Whether there was one since this began.
  bool isThere() const;

  // Interrupts all that live, and returns when they don't any more.
  static void endAll();

private:
  const uint64_t before;
};

} // namespace drumlin
