#include "drumlin/runtime/executable/Event.h"

#include "drumlin/runtime/cpu/JobQueue.h"

namespace drumlin {

Status Event::wait() {
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

void Event::whenReady(Callback callback) {
  {
    std::lock_guard<std::mutex> lock(mutex);
    if (!isReady()) {
      callbacks.push_back(std::move(callback));
      return;
    }
  }
  callback(ending);
}

void Event::setReady(Status status) {
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

} // namespace drumlin
