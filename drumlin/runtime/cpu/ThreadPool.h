// The threads that run kernels.
//
// A launch splits its tiles into one contiguous range for each thread, the caller taking the first,
// and each range into a few chunks. A thread that is done with its own range takes chunks that
// others haven't started, so a thread that the system runs late costs little. Who computes a tile
// never shows in the result: any number of threads gives the same bits. Between launches the
// workers spin for some tens of microseconds, since a program's kernels follow each other closely,
// and then sleep. Where the program was a job they sleep at its end: the job's thread spins for the
// next one, and beside it and who submits jobs a machine of two processors has no room for another.
//
// Several threads may launch at once. Each works on its own launch alone, and so never waits for
// another one; workers take chunks of any. With c callers at work only the first threads - c
// workers help, so that no more threads compute than the pool has, or than call.
#pragma once

#include "drumlin/runtime/Abi.h"
#include "drumlin/runtime/cpu/AlignedMemory.h"
#include "drumlin/runtime/cpu/JobQueue.h"

#include <atomic>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <mutex>
#include <vector>

namespace drumlin {

// More threads than this are a mistake: callers refuse them, and a pool never has more.
inline constexpr unsigned maxThreads = 4096;

class ThreadPool {
public:
  // Few, since a kernel may set up something at the start of each chunk; but a product of 15 tiles,
  // of which two threads take 8 and 7, takes 12 % less than with four.
  static constexpr int64_t chunksPerRange = 8;

  // `threads` counts the caller: 1 starts none; 0 means one for each processor that the process may
  // run on. Where the system refuses a thread, the pool has fewer.
  explicit ThreadPool(unsigned threads = 0);
  // How many processors the process may run on.
  static unsigned usableProcessors();
  ~ThreadPool();
  ThreadPool(const ThreadPool &) = delete;
  ThreadPool &operator=(const ThreadPool &) = delete;

  unsigned threads() const { return threadCount; }

  // For what runs without a caller that waits: on threads of their own, at most threads().
  JobQueue &jobs() { return queue; }

  // Makes each worker's scratch at least as large; kernels that run meanwhile keep theirs until
  // they are done. False where memory is short.
  [[nodiscard]] bool reserveScratch(size_t bytes);
  // Gives the pages of the workers' scratch back to the system; they come again as they are used.
  void trimScratch();

  // Between the two the calling thread counts among the pool's: it launches and computes.
  void enter() { callers.fetch_add(1, std::memory_order_relaxed); }
  void leave();

  // Runs the tiles [0, tiles) and returns when all are done. May be called from several threads at
  // once, and from within a kernel. `callerScratch` is the scratch of the calling thread.
  void parallel(DrumlinKernel kernel, void *const *buffers, const int64_t *dims,
                void *callerScratch, int64_t tiles);

private:
  struct Worker;
  // How many chunks of one thread's range nobody has taken yet. They are taken in order.
  struct alignas(64) Range {
    std::atomic<uint32_t> remaining{0};
  };
  struct Work {
    DrumlinKernel kernel = nullptr;
    void *const *buffers = nullptr;
    const int64_t *dims = nullptr;
    int64_t tiles = 0;
    uint32_t ranges = 0;
  };
  // A place for one launch.
  struct alignas(64) Launch {
    Work work;
    // How many chunks aren't done; the caller sleeps on it.
    alignas(64) std::atomic<uint32_t> pending{0};
    std::atomic<bool> callerSleeps{false};
    std::unique_ptr<Range[]> ranges; // one for each thread
  };
  bool mayHelp(const Worker &worker) const;
  unsigned helpers() const;
  Launch *open(uint32_t &number);
  void call(Worker &worker);
  void work(Worker &worker);
  void help(Worker &worker);
  void runChunks(Launch &launch, uint32_t first, Worker *worker, void *callerScratch);
  static void *start(void *worker);
  static void waitForWorkers(Launch &launch);
  bool offerScratch(size_t bytes);

  // More callers at once than this run without help.
  static constexpr unsigned maxLaunches = 16;

  unsigned threadCount = 1;
  std::unique_ptr<Launch[]> launches;
  uint32_t launchCount = 0;
  // A bit for each launch that has a caller. Beside it, since both change together, how many
  // threads call.
  alignas(64) std::atomic<uint32_t> opened{0};
  std::atomic<uint32_t> callers{0};
  std::atomic<bool> isAtRest{false}; // the last job has ended, and nothing was launched since
  alignas(64) std::atomic<bool> stopping{false};
  std::vector<std::unique_ptr<Worker>> workers;
  std::mutex scratchMutex;
  size_t scratchBytes = 0; // of each worker
  JobQueue queue;
};

// Sets the calling thread's floating-point control to the default (round to nearest even,
// subnormals kept, no traps) while it lives: a program's results don't depend on what its caller
// has set.
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
