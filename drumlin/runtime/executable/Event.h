// Events, which say when and how something has ended.
#pragma once

#include "drumlin/runtime/cpu/JobQueue.h"
#include "drumlin/support/Diagnostics.h"

#include <atomic>
#include <condition_variable>
#include <functional>
#include <mutex>
#include <vector>

namespace drumlin {

// Returns the error of a wait that might never end.
Diagnostic waitInCallback();

// An event. A value of type `Ending` says how the work ended; the type converts from Done, for
// success, and from a Diagnostic.
template <typename Ending> class EventOf {
public:
  using Callback = std::function<void(const Ending &)>;

  EventOf() = default;
  EventOf(const EventOf &) = delete;
  EventOf &operator=(const EventOf &) = delete;

  bool isReady() const { return ready.load(std::memory_order_acquire); }
  // Blocks until the event is ready; returns how it ended. Fails with WaitInCallback on a thread
  // that runs jobs, where waiting for another job might never end.
  Ending wait() {
    if (!isReady()) {
      if (JobQueue::isJobThread()) {
        return waitInCallback();
      }
      std::unique_lock<std::mutex> lock(mutex);
      changed.wait(lock, [&] { return isReady(); });
    }
    return ending;
  }
  // Registers a callback, called once: on the thread that makes the event ready, after the
  // callbacks registered earlier, or immediately on this thread if the event is ready.
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
  // Makes the event ready; must be called once. Waiting threads resume before the callbacks are
  // called.
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
  Ending ending = Done(); // doesn't change once the event is ready
};

// The end of a run.
using Event = EventOf<Status>;

} // namespace drumlin
