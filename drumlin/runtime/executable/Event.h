// When something has ended, and how.
#pragma once

#include "drumlin/runtime/cpu/JobQueue.h"
#include "drumlin/support/Diagnostics.h"

#include <atomic>
#include <condition_variable>
#include <functional>
#include <mutex>
#include <vector>

namespace drumlin {

// `Ending` says how: made of Done for success, or of a Diagnostic.
template <typename Ending> class EventOf {
public:
  using Callback = std::function<void(const Ending &)>;

  EventOf() = default;
  EventOf(const EventOf &) = delete;
  EventOf &operator=(const EventOf &) = delete;

  bool isReady() const { return ready.load(std::memory_order_acquire); }
  // Blocks until it is ready; says how it ended. Fails with WaitInCallback on a thread that runs
  // jobs, where waiting for another job might never end.
  Ending wait() {
    if (!isReady()) {
      if (JobQueue::isJobThread()) {
        return diagnose(DiagnosticCode::WaitInCallback,
                        "an event's callback waits for a run that hasn't ended");
      }
      std::unique_lock<std::mutex> lock(mutex);
      changed.wait(lock, [&] { return isReady(); });
    }
    return ending;
  }
  // Called once: on the thread that makes it ready, after those that were added before, or at once
  // on this one where it is ready.
  void whenReady(Callback callback) {
    {
      std::lock_guard<std::mutex> lock(mutex);
      if (!isReady()) {
        callbacks.push_back(std::move(callback));
        return;
      }
    }
    callback(ending);
  }
  // Once. Those that wait go on before the callbacks are called.
  void setReady(Ending status) {
    std::vector<Callback> called;
    {
      std::lock_guard<std::mutex> lock(mutex);
      ending = std::move(status);
      called.swap(callbacks);
      ready.store(true, std::memory_order_release);
      changed.notify_all();
    }
    for (Callback &callback : called) {
      callback(ending);
      callback = nullptr;
    }
  }

private:
  std::atomic<bool> ready{false};
  std::mutex mutex;
  std::condition_variable changed;
  std::vector<Callback> callbacks;
  Ending ending = Done(); // not changed any more once it is ready
};

// The end of a run.
using Event = EventOf<Status>;

} // namespace drumlin
