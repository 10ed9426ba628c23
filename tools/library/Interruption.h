// Interrupts compilations on Ctrl-C, and before the process ends.
#pragma once

#include <cstdint>

namespace drumlin {

// Observes interruptions: calls of endAll() and, if the process handles SIGINT, the SIGINT of
// Ctrl-C while an object of this class exists. If the process has no handler, the signal ends the
// process as usual. Objects may be created on any thread, since frameworks compile on any thread.
class Interruption {
public:
  Interruption();
  ~Interruption();
  Interruption(const Interruption &) = delete;
  Interruption &operator=(const Interruption &) = delete;

  // Whether an interruption has occurred since this object was created.
  bool isThere() const;

  // Interrupts the compilations of all living objects of this class, and returns when the objects
  // are destroyed.
  static void endAll();

private:
  const uint64_t before;
};

} // namespace drumlin
