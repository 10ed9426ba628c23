// The threads that run kernels.
//
// A launch splits its tiles into one contiguous range for each thread, the first for the caller,
// and each range into a few chunks. A thread that has finished its range takes unstarted chunks of
// other ranges, so a thread that the system schedules late costs little. Results don't depend on
// which thread computes a tile: any number of threads gives the same bits. Between launches the
// workers spin for some tens of microseconds, since a program's kernels follow each other closely,
// and then sleep.
//
// Several threads may launch at once. Each works only on its own launch, and so never waits for
// another launch; workers take chunks of any launch. While c callers launch, only the first
// `threads - c` workers help. So the number of computing threads is at most that of the pool's
// threads or, if there are more callers than that, the number of callers. A launch of little work
// calls fewer workers (WorkSplit.h), and no launch calls more than there are processors: a worker
// that waits for a processor, while it holds a chunk, delays the launch by milliseconds.
#pragma once

#include "drumlin/runtime/Abi.h"
#include "drumlin/runtime/cpu/AlignedMemory.h"
#include "drumlin/runtime/cpu/JobQueue.h"
#include "drumlin/runtime/cpu/WorkSplit.h"

#include <atomic>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <mutex>
#include <span>
#include <vector>

namespace drumlin {

// The limit on threads: callers refuse larger numbers as mistakes, and a pool never has more.
inline constexpr unsigned maxThreads = 4096;

class ThreadPool {
public:
  // Starts `threads` - 1 threads, since the caller counts; 0 stands for usableProcessors(). If the
  // system refuses a thread, the pool has fewer. A launch uses no more threads than `processors`; 0
  // stands for processorsInMask().
  explicit ThreadPool(unsigned threads = 0, unsigned processors = 0);
  ~ThreadPool();
  ThreadPool(const ThreadPool &) = delete;
  ThreadPool &operator=(const ThreadPool &) = delete;

  // The limit on concurrent launches with helpers; further callers run without help.
  static constexpr unsigned maxLaunches = 16;

  unsigned threads() const { return threadCount; }

  // The queue for asynchronous runs. It has threads of its own, at most threads().
  JobQueue &jobs() { return queue; }

  // Grows each worker's scratch to at least `bytes`; running kernels keep their old scratch until
  // they are done. False if memory is short.
  [[nodiscard]] bool reserveScratch(size_t bytes);
  // Returns the pages of the workers' scratch to the system; they are allocated again on use.
  void trimScratch();

  // Counts the calling thread as one of the pool's computing threads until leave() is called.
  void enter() { callers.fetch_add(1, std::memory_order_relaxed); }
  void leave();

  // The work of one launch.
  struct Task {
    DrumlinKernel kernel = nullptr;
    void *const *buffers = nullptr;
    const int64_t *dims = nullptr;
    LaunchWork work = {};
  };
  // Runs all tiles of the tasks, which are independent of each other, and returns when all are
  // done. The threads begin with the first tasks. May be called from several threads at once, and
  // from within a kernel. `callerScratch` is the scratch of the calling thread.
  void parallel(std::span<const Task> tasks, void *callerScratch);
  // The same for one task.
  void parallel(DrumlinKernel kernel, void *const *buffers, const int64_t *dims,
                void *callerScratch, const LaunchWork &work) {
    const Task task = {kernel, buffers, dims, work};
    parallel(std::span(&task, 1), callerScratch);
  }

private:
  struct Worker;
  // The number of chunks of one thread's range that aren't taken yet. Chunks are taken in order.
  struct alignas(64) Range {
    std::atomic<uint32_t> remaining{0};
  };
  // A slot for one launch.
  struct alignas(64) Launch {
    Task task;
    WorkSplit split;
    // The number of chunks that aren't done; the caller sleeps on it.
    alignas(64) std::atomic<uint32_t> pending{0};
    std::atomic<bool> callerSleeps{false};
    std::unique_ptr<Range[]> ranges; // one range for each thread
  };
  bool mayHelp(const Worker &worker) const;
  unsigned helpers() const;
  Launch *open(uint32_t &number);
  static int64_t start(Launch &launch, const Task &task, uint32_t threads);
  static void runHere(const Task &task, void *callerScratch);
  size_t launchSome(std::span<const Task> tasks, uint32_t threads, void *callerScratch);
  void call(Worker &worker, uint32_t callsBelow);
  void callOthers(uint32_t range, uint32_t used);
  void work(Worker &worker);
  void help(Worker &worker);
  void runChunks(Launch &launch, uint32_t first, Worker *worker, void *callerScratch);
  bool runRange(Launch &launch, uint32_t range, Worker *worker, void *callerScratch);
  static void *start(void *worker);
  static void waitForWorkers(Launch &launch);
  bool offerScratch(size_t bytes);

  unsigned threadCount = 1;
  const unsigned processors; // on which the threads may run
  std::unique_ptr<Launch[]> launches;
  uint32_t launchCount = 0;
  // A bit for each launch slot in use. The number of calling threads is on the same cache line,
  // since both change together.
  alignas(64) std::atomic<uint32_t> opened{0};
  std::atomic<uint32_t> callers{0};
  alignas(64) std::atomic<bool> stopping{false};
  std::vector<std::unique_ptr<Worker>> workers;
  std::mutex scratchMutex;
  size_t scratchBytes = 0; // per worker
  JobQueue queue;
};

// Sets the calling thread's floating-point control to the default (round to nearest even,
// subnormals kept, no traps) during its lifetime, so that results don't depend on the caller's
// settings.
class DefaultFloatingPoint {
public:
  DefaultFloatingPoint();
  ~DefaultFloatingPoint();
  DefaultFloatingPoint(const DefaultFloatingPoint &) = delete;
  DefaultFloatingPoint &operator=(const DefaultFloatingPoint &) = delete;

private:
  const uint64_t saved;
};

} // namespace drumlin
