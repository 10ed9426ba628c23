#include "drumlin/runtime/cpu/ThreadPool.h"

#include "drumlin/support/Threads.h"

#include <algorithm>
#include <chrono>
#include <climits>
#include <csignal>
#include <linux/futex.h>
#include <pthread.h>
#include <sched.h>
#include <string>
#include <sys/syscall.h>
#include <thread>
#include <unistd.h>

#if defined(__x86_64__)
#include <xmmintrin.h>
#endif

namespace drumlin {

// Waking a sleeping thread costs about as long as this: spinning for longer costs more than it can
// save.
static constexpr auto spinTime = std::chrono::microseconds(40);
static constexpr int pausesBetweenClocks = 64;

// Few, since a kernel may set up something at the start of each chunk.
static constexpr int64_t chunksPerRange = 4;

static void pauseThread() {
#if defined(__x86_64__)
  _mm_pause();
#endif
}

static void futexWait(std::atomic<uint32_t> &word, uint32_t expected) {
  syscall(SYS_futex, reinterpret_cast<uint32_t *>(&word), FUTEX_WAIT_PRIVATE, expected, nullptr,
          nullptr, 0);
}

static void futexWake(std::atomic<uint32_t> &word) {
  syscall(SYS_futex, reinterpret_cast<uint32_t *>(&word), FUTEX_WAKE_PRIVATE, INT_MAX, nullptr,
          nullptr, 0);
}

// Spins until `done` or the spin time is over; says which.
template <typename Condition> static bool spinUntil(Condition done) {
  auto end = std::chrono::steady_clock::now() + spinTime;
  do {
    for (int i = 0; i < pausesBetweenClocks; ++i) {
      if (done()) {
        return true;
      }
      pauseThread();
    }
  } while (std::chrono::steady_clock::now() < end);
  return done();
}

struct alignas(64) ThreadPool::Worker {
  ThreadPool *pool = nullptr;
  uint32_t range = 0; // 1 …; the caller's is 0
  std::atomic<uint32_t> ticket{0};
  std::atomic<bool> sleeps{false};
  AlignedMemory scratch;
  pthread_t thread = {};
};

DefaultFloatingPoint::DefaultFloatingPoint() {
#if defined(__x86_64__)
  constexpr uint32_t defaultControl = 0x1f80;
  saved = _mm_getcsr();
  if (saved != defaultControl) {
    _mm_setcsr(defaultControl);
  }
#endif
}

DefaultFloatingPoint::~DefaultFloatingPoint() {
#if defined(__x86_64__)
  _mm_setcsr(saved);
#endif
}

static unsigned usableProcessors() {
  cpu_set_t set;
  if (sched_getaffinity(0, sizeof(set), &set) == 0) {
    return std::max(1, CPU_COUNT(&set));
  }
  return std::max(1u, std::thread::hardware_concurrency());
}

ThreadPool::ThreadPool(unsigned threads) {
  if (threads == 0) {
    threads = usableProcessors();
  }
  threads = std::min(threads, maxThreads);
  // Workers wait for their first ticket before they look at any range.
  ranges = std::make_unique<Range[]>(threads);
  // Signals are for the threads of the host program.
  sigset_t all, before;
  sigfillset(&all);
  pthread_sigmask(SIG_SETMASK, &all, &before);
  for (unsigned i = 1; i < threads; ++i) {
    auto worker = std::make_unique<Worker>();
    worker->pool = this;
    worker->range = i;
    if (pthread_create(&worker->thread, nullptr, start, worker.get()) != 0) {
      break;
    }
    pthread_setname_np(worker->thread, ("drumlin-" + std::to_string(i)).substr(0, 15).c_str());
    workers.push_back(std::move(worker));
  }
  pthread_sigmask(SIG_SETMASK, &before, nullptr);
  threadCount = static_cast<unsigned>(workers.size()) + 1;
}

ThreadPool::~ThreadPool() {
  stopping.store(true);
  for (std::unique_ptr<Worker> &worker : workers) {
    worker->ticket.fetch_add(1);
    futexWake(worker->ticket);
  }
  for (std::unique_ptr<Worker> &worker : workers) {
    pthread_join(worker->thread, nullptr);
  }
}

bool ThreadPool::reserveScratch(size_t bytes) {
  while (busy.exchange(true, std::memory_order_acquire)) {
    sched_yield();
  }
  bool enough = true;
  for (std::unique_ptr<Worker> &worker : workers) {
    if (worker->scratch.size() >= bytes) {
      continue;
    }
    std::optional<AlignedMemory> larger = AlignedMemory::allocate(bytes);
    if (!larger) {
      enough = false;
      break;
    }
    worker->scratch = std::move(*larger);
  }
  busy.store(false, std::memory_order_release);
  return enough;
}

// Where part `part` of `count` things split into `parts` begins: the first `count % parts` have one
// more.
static int64_t partBegin(int64_t count, int64_t parts, int64_t part) {
  return part * (count / parts) + std::min(part, count % parts);
}

static int64_t chunksOf(int64_t tiles) { return std::min(tiles, chunksPerRange); }

void *ThreadPool::start(void *worker) {
  Worker &self = *static_cast<Worker *>(worker);
  SignalStack stack;
  DefaultFloatingPoint floatingPoint;
  self.pool->work(self);
  return nullptr;
}

void ThreadPool::work(Worker &worker) {
  uint32_t seen = 0;
  while (true) {
    auto hasTicket = [&] { return worker.ticket.load(std::memory_order_acquire) != seen; };
    if (!spinUntil(hasTicket)) {
      // Whoever gives the ticket after this store sees it and wakes; a ticket given before is seen
      // by the futex.
      worker.sleeps.store(true);
      while (worker.ticket.load() == seen) {
        futexWait(worker.ticket, seen);
      }
      worker.sleeps.store(false, std::memory_order_relaxed);
    }
    seen = worker.ticket.load();
    if (stopping.load()) {
      return;
    }
    runChunks(worker.range, &worker, nullptr);
  }
}

// Runs chunks of range `first` and then of the others, until all are taken. A worker may come late,
// when the launch that it was called for is over and the next is being set up: `launch` and the
// worker's scratch are therefore read only with a chunk in hand, which keeps the launch from
// ending.
void ThreadPool::runChunks(uint32_t first, const Worker *worker, void *callerScratch) {
  for (uint32_t i = 0; i < threadCount; ++i) {
    uint32_t range = first + i < threadCount ? first + i : first + i - threadCount;
    std::atomic<uint32_t> &counter = ranges[range].remaining;
    uint32_t remaining = counter.load(std::memory_order_acquire);
    while (remaining != 0) {
      if (!counter.compare_exchange_weak(remaining, remaining - 1, std::memory_order_acq_rel)) {
        continue;
      }
      void *scratch = worker ? worker->scratch.data() : callerScratch;
      int64_t begin = partBegin(launch.tiles, launch.ranges, range);
      int64_t tiles = partBegin(launch.tiles, launch.ranges, range + 1) - begin;
      int64_t chunks = chunksOf(tiles), chunk = chunks - remaining;
      launch.kernel(launch.buffers, launch.dims, scratch, begin + partBegin(tiles, chunks, chunk),
                    begin + partBegin(tiles, chunks, chunk + 1));
      if (pending.fetch_sub(1) == 1 && callerSleeps.load()) {
        futexWake(pending);
      }
      remaining = counter.load(std::memory_order_acquire);
    }
  }
}

void ThreadPool::waitForWorkers() {
  auto done = [&] { return pending.load(std::memory_order_acquire) == 0; };
  if (spinUntil(done)) {
    return;
  }
  callerSleeps.store(true);
  for (uint32_t left = pending.load(); left != 0; left = pending.load()) {
    futexWait(pending, left);
  }
  callerSleeps.store(false);
}

void ThreadPool::parallel(DrumlinKernel kernel, void *const *buffers, const int64_t *dims,
                          void *callerScratch, int64_t tiles) {
  if (tiles <= 0) {
    return;
  }
  if (tiles == 1 || workers.empty() || busy.exchange(true, std::memory_order_acquire)) {
    kernel(buffers, dims, callerScratch, 0, tiles);
    return;
  }
  uint32_t used = static_cast<uint32_t>(std::min<int64_t>(threadCount, tiles));
  launch = {kernel, buffers, dims, tiles, used};
  uint32_t chunks[2]; // of the ranges with one tile more, and of the others
  chunks[0] = static_cast<uint32_t>(chunksOf(tiles / used + 1));
  chunks[1] = static_cast<uint32_t>(chunksOf(tiles / used));
  uint32_t larger = static_cast<uint32_t>(tiles % used);
  pending.store(larger * chunks[0] + (used - larger) * chunks[1]);
  for (uint32_t i = 0; i < used; ++i) {
    ranges[i].remaining.store(i < larger ? chunks[0] : chunks[1], std::memory_order_release);
  }
  for (uint32_t i = 0; i + 1 < used; ++i) {
    Worker &worker = *workers[i];
    worker.ticket.fetch_add(1);
    if (worker.sleeps.load()) {
      futexWake(worker.ticket);
    }
  }
  runChunks(0, nullptr, callerScratch);
  waitForWorkers();
  busy.store(false, std::memory_order_release);
}

} // namespace drumlin
