// The contexts of an executable that no run uses at the moment, and how many runs have begun.
#pragma once

#include "drumlin/runtime/executable/ExecutionContext.h"

#include <atomic>
#include <condition_variable>
#include <memory>
#include <mutex>
#include <vector>

namespace drumlin {

// The first context stays, whether its memory does or not: a program's only caller takes and gives
// it back without a lock. Others come and go.
class ContextPool {
public:
  // Besides the first one, idle contexts have at most so many bytes.
  explicit ContextPool(size_t maxIdleBytes) : maxIdleBytes(maxIdleBytes) {}
  // Before the first run.
  void setFirst(std::unique_ptr<ExecutionContext> context) { first = std::move(context); }

  // A run begins: it gets the first context, or the one that was used last, which may have no
  // memory. Null where none is idle: the run gives one back that it made.
  ExecutionContext *take();
  // It has ended. `context` may be null. Whoever waits may free the executable at once.
  void giveBack(ExecutionContext *context);
  // A run that brings its own context, or none yet.
  void begin();
  void end() { giveBack(nullptr); }

  // Frees the memory of idle ones; says how many bytes they had.
  size_t trim();
  size_t idleBytes();
  void waitForRuns();

private:
  // Of the first context. A thread that waits for it has it given back under the mutex.
  enum class Place : uint8_t { Idle, Taken, WaitedFor };
  bool takeFirst();
  void giveBackFirst();

  std::unique_ptr<ExecutionContext> first;
  std::atomic<Place> firstPlace{Place::Idle};
  size_t maxIdleBytes;

  std::mutex mutex;
  std::condition_variable ended;
  std::vector<std::unique_ptr<ExecutionContext>> idle; // without the first
  size_t bytes = 0;                                    // of these
  size_t running = 0, waiting = 0;                     // without runs in the first
};

// The context of a run, which gives it back whatever ends it. Without one where the pool has none
// that is idle: the run then makes one.
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
