#include "drumlin/runtime/executable/ContextPool.h"

#include <new>

namespace drumlin {

bool ContextPool::takeFirst() {
  Place place = Place::Idle;
  return firstPlace.compare_exchange_strong(place, Place::Taken, std::memory_order_acquire);
}

void ContextPool::giveBackFirst() {
  Place place = Place::Taken;
  if (firstPlace.compare_exchange_strong(place, Place::Idle, std::memory_order_release)) {
    return;
  }
  std::lock_guard<std::mutex> lock(mutex);
  firstPlace.store(Place::Idle);
  ended.notify_all();
}

ExecutionContext *ContextPool::take() {
  if (takeFirst()) {
    return first.get();
  }
  std::lock_guard<std::mutex> lock(mutex);
  ++running;
  if (idle.empty()) {
    return nullptr;
  }
  std::unique_ptr<ExecutionContext> context = std::move(idle.back());
  idle.pop_back();
  bytes -= context->bytes();
  return context.release();
}

void ContextPool::giveBack(ExecutionContext *context) {
  if (context && context == first.get()) {
    giveBackFirst();
    return;
  }
  // Freed after the lock is released. The pool may no longer exist by then, but a context's
  // destructor only frees the context's own memory.
  std::unique_ptr<ExecutionContext> surplus(context);
  std::lock_guard<std::mutex> lock(mutex);
  if (size_t more = context ? context->bytes() : 0;
      context && more <= maxIdleBytes && bytes <= maxIdleBytes - more) {
    bool isKept = true;
    try {
      idle.push_back(std::move(surplus));
    } catch (const std::bad_alloc &) {
      isKept = false;
    }
    bytes += isKept ? more : 0;
  }
  --running;
  if (waiting != 0 && running == 0) {
    ended.notify_all();
  }
}

void ContextPool::begin() {
  std::lock_guard<std::mutex> lock(mutex);
  ++running;
}

size_t ContextPool::trim() {
  size_t freed = 0;
  if (takeFirst()) {
    freed = first->bytes();
    first->freeMemory();
    giveBackFirst();
  }
  std::vector<std::unique_ptr<ExecutionContext>> others;
  std::lock_guard<std::mutex> lock(mutex);
  others.swap(idle);
  return freed + std::exchange(bytes, 0);
}

size_t ContextPool::idleBytes() {
  size_t ofFirst = 0;
  if (takeFirst()) {
    ofFirst = first->bytes();
    giveBackFirst();
  }
  std::lock_guard<std::mutex> lock(mutex);
  return ofFirst + bytes;
}

void ContextPool::waitForRuns() {
  std::unique_lock<std::mutex> lock(mutex);
  ++waiting;
  ended.wait(lock, [&] {
    Place place = Place::Taken;
    firstPlace.compare_exchange_strong(place, Place::WaitedFor, std::memory_order_acquire);
    return place == Place::Idle && running == 0;
  });
  --waiting;
}

} // namespace drumlin
