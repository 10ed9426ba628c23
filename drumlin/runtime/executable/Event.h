// When a run has ended, and how.
#pragma once

#include "drumlin/support/Diagnostics.h"

#include <atomic>
#include <condition_variable>
#include <functional>
#include <mutex>
#include <vector>

namespace drumlin {

class Event {
public:
  using Callback = std::function<void(const Status &)>;

  Event() = default;
  Event(const Event &) = delete;
  Event &operator=(const Event &) = delete;

  bool isReady() const { return ready.load(std::memory_order_acquire); }
  // Blocks until it is ready; says how the run ended. Fails with WaitInCallback on a thread that
  // runs jobs, where waiting for another job might never end.
  Status wait();
  // Called once: on the thread that makes it ready, after those that were added before, or at once
  // on this one where it is ready.
  void whenReady(Callback callback);
  // Once. Those that wait go on before the callbacks are called.
  void setReady(Status status);

private:
  std::atomic<bool> ready{false};
  std::mutex mutex;
  std::condition_variable changed;
  std::vector<Callback> callbacks;
  Status ending = Done{}; // not changed any more once it is ready
};

} // namespace drumlin
