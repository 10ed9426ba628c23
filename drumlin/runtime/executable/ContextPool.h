// The idle contexts of an executable, and the number of its active runs.
#pragma once

#include "drumlin/runtime/executable/ExecutionContext.h"

#include <atomic>
#include <condition_variable>
#include <memory>
#include <mutex>
#include <vector>

namespace drumlin {

// A pool of contexts. The first context is always kept, with or without memory. If runs don't
// overlap, they take and return it without a lock. Other contexts are created and freed as needed.
class ContextPool {
public:
  // Creates a pool whose idle contexts, except the first one, hold at most `maxIdleBytes` together.
  explicit ContextPool(size_t maxIdleBytes) : maxIdleBytes(maxIdleBytes) {}
  // Sets the first context; must be called before the first run.
  void setFirst(std::unique_ptr<ExecutionContext> context) { first = std::move(context); }

  // Begins a run and returns the first context, or the most recently used one, which may have no
  // memory. Null if none is idle: the run then creates a context and returns it to the pool.
  ExecutionContext *take();
  // Ends a run and puts its context, which may be null, back into the pool. Threads that wait for
  // the end of runs may free the executable at once.
  void giveBack(ExecutionContext *context);
  // Begins a run that uses its caller's context, or that has no context yet.
  void begin();
  void end() { giveBack(nullptr); }

  // Frees the memory of idle contexts; returns the freed bytes.
  size_t trim();
  size_t idleBytes();
  void waitForRuns();

private:
  // The state of the first context. In the state `WaitedFor`, the run that has the context returns
  // it under the mutex.
  enum class Place : uint8_t { Idle, Taken, WaitedFor };
  bool takeFirst();
  void giveBackFirst();

  std::unique_ptr<ExecutionContext> first;
  std::atomic<Place> firstPlace{Place::Idle};
  size_t maxIdleBytes;

  std::mutex mutex;
  std::condition_variable ended;
  std::vector<std::unique_ptr<ExecutionContext>> idle; // idle contexts except the first one
  size_t bytes = 0;                                    // of `idle`
  size_t running = 0, waiting = 0;                     // runs in other contexts; waiting threads
};

// The context of a run, returned to the pool however the run ends. Empty if the pool has no idle
// context: the run then creates one.
class TakenContext {
public:
  explicit TakenContext(ContextPool &pool) : pool(pool), context(pool.take()) {}
  ~TakenContext() { pool.giveBack(context); }
  TakenContext(const TakenContext &) = delete;
  TakenContext &operator=(const TakenContext &) = delete;

  void set(ExecutionContext *made) { context = made; }
  ExecutionContext *get() const { return context; }
  ExecutionContext *operator->() const { return context; }
  ExecutionContext &operator*() const { return *context; }

private:
  ContextPool &pool;
  ExecutionContext *context;
};

} // namespace drumlin
