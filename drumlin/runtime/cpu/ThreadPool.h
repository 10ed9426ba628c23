// The threads that run kernels.
//
// A launch splits its tiles into one contiguous range for each thread, the caller taking the first,
// and each range into a few chunks. A thread that is done with its own range takes chunks that
// others haven't started, so a thread that the system runs late costs little. Who computes a tile
// never shows in the result: any number of threads gives the same bits. Between launches the
// workers spin for some tens of microseconds, since a program's kernels follow each other closely,
// and then sleep.
#pragma once

#include "drumlin/runtime/Abi.h"
#include "drumlin/runtime/cpu/AlignedMemory.h"

#include <atomic>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <vector>

namespace drumlin {

// More threads than this are a mistake: callers refuse them, and a pool never has more.
inline constexpr unsigned maxThreads = 4096;

class ThreadPool {
public:
  // `threads` counts the caller: 1 starts none; 0 means one for each processor that the process may
  // run on. Where the system refuses a thread, the pool has fewer.
  explicit ThreadPool(unsigned threads = 0);
  ~ThreadPool();
  ThreadPool(const ThreadPool &) = delete;
  ThreadPool &operator=(const ThreadPool &) = delete;

  unsigned threads() const { return threadCount; }

  // Makes each worker's scratch at least as large; kernels that run meanwhile keep theirs until
  // they are done. False where memory is short.
  [[nodiscard]] bool reserveScratch(size_t bytes);

  // Runs the tiles [0, tiles) and returns when all are done. May be called from several threads at
  // once, and from within a kernel: while one launch has the workers, others run on their callers'
  // threads alone. `callerScratch` is the scratch of the calling thread.
  void parallel(DrumlinKernel kernel, void *const *buffers, const int64_t *dims,
                void *callerScratch, int64_t tiles);

private:
  struct Worker;
  // How many chunks of one thread's range nobody has taken yet. They are taken in order.
  struct alignas(64) Range {
    std::atomic<uint32_t> remaining{0};
  };
  struct Launch {
    DrumlinKernel kernel = nullptr;
    void *const *buffers = nullptr;
    const int64_t *dims = nullptr;
    int64_t tiles = 0;
    uint32_t ranges = 0;
  };
  void work(Worker &worker);
  void runChunks(uint32_t first, const Worker *worker, void *callerScratch);
  static void *start(void *worker);
  void waitForWorkers();

  unsigned threadCount = 1;
  Launch launch;
  alignas(64) std::atomic<bool> busy{false};
  // How many chunks of the launch aren't done; the caller sleeps on it.
  alignas(64) std::atomic<uint32_t> pending{0};
  std::atomic<bool> callerSleeps{false};
  std::atomic<bool> stopping{false};
  std::vector<std::unique_ptr<Worker>> workers;
  std::unique_ptr<Range[]> ranges; // one for each thread
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
  uint32_t saved = 0;
};

} // namespace drumlin
