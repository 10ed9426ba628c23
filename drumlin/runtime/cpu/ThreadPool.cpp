#include "drumlin/runtime/cpu/ThreadPool.h"

#include "drumlin/runtime/cpu/Processor.h"
#include "drumlin/runtime/cpu/Spin.h"
#include "drumlin/support/SystemLimits.h"
#include "drumlin/support/Threads.h"

#include <algorithm>
#include <array>
#include <bit>
#include <climits>
#include <csignal>
#include <cstdio>
#include <linux/futex.h>
#include <pthread.h>
#include <string>
#include <sys/syscall.h>
#include <unistd.h>

namespace drumlin {

static void futexWait(std::atomic<uint32_t> &word, uint32_t expected) {
  syscall(SYS_futex, reinterpret_cast<uint32_t *>(&word), FUTEX_WAIT_PRIVATE, expected, nullptr,
          nullptr, 0);
}

static void futexWake(std::atomic<uint32_t> &word) {
  syscall(SYS_futex, reinterpret_cast<uint32_t *>(&word), FUTEX_WAKE_PRIVATE, INT_MAX, nullptr,
          nullptr, 0);
}

struct alignas(64) ThreadPool::Worker {
  ThreadPool *pool = nullptr;
  uint32_t range = 0; // the worker's range in launches, from 1; range 0 is the caller's
  std::atomic<uint32_t> ticket{0};
  // When called, the worker calls those of its workers in the CallTree whose range is below this.
  std::atomic<uint32_t> callsBelow{0};
  std::atomic<bool> sleeps{false};
  // Scratch that only this worker accesses. Its replacement is put in `offered`.
  AlignedMemory scratch;
  std::atomic<AlignedMemory *> offered{nullptr};
  pthread_t thread = {};

  ~Worker() { delete offered.load(); }
  void takeOffered() {
    if (offered.load(std::memory_order_relaxed)) {
      std::unique_ptr<AlignedMemory> larger(offered.exchange(nullptr, std::memory_order_acquire));
      scratch = std::move(*larger);
    }
  }
};

DefaultFloatingPoint::DefaultFloatingPoint() : saved(floatingPointControl()) {
  if (saved != defaultFloatingPoint) {
    setFloatingPointControl(defaultFloatingPoint);
  }
}

DefaultFloatingPoint::~DefaultFloatingPoint() { setFloatingPointControl(saved); }

static unsigned poolSize(unsigned threads) {
  return std::min(threads == 0 ? usableProcessors() : threads, maxThreads);
}

ThreadPool::ThreadPool(unsigned asked, unsigned processors)
    : threadCount(poolSize(asked)), processors(processors == 0 ? processorsInMask() : processors),
      queue(threadCount) {
  const unsigned threads = threadCount;
  // The launches are set up before any worker runs. A worker accesses them only once it has a
  // ticket.
  launchCount = threads == 1 ? 0 : maxLaunches;
  launches = std::make_unique<Launch[]>(launchCount);
  for (uint32_t i = 0; i < launchCount; ++i) {
    launches[i].ranges = std::make_unique<Range[]>(threads);
  }
  // Allocates all memory before starting threads, which need the complete pool.
  for (unsigned i = 1; i < threads; ++i) {
    workers.push_back(std::make_unique<Worker>());
    workers.back()->pool = this;
    workers.back()->range = i;
  }
  // Blocks all signals, which only threads of the host program should handle.
  sigset_t all, before;
  sigfillset(&all);
  pthread_sigmask(SIG_SETMASK, &all, &before);
  size_t started = 0;
  for (; started < workers.size(); ++started) {
    Worker &worker = *workers[started];
    if (pthread_create(&worker.thread, nullptr, start, &worker) != 0) {
      break;
    }
    char name[16];
    std::snprintf(name, sizeof(name), "drumlin-%u", worker.range);
    pthread_setname_np(worker.thread, name);
  }
  workers.resize(started);
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

// Offers each worker new scratch. A worker takes the offer before its next chunk, so chunks of
// later launches use the new scratch.
bool ThreadPool::offerScratch(size_t bytes) {
  for (std::unique_ptr<Worker> &worker : workers) {
    std::optional<AlignedMemory> memory = AlignedMemory::allocate(bytes);
    if (!memory) {
      return false;
    }
    auto offer = std::make_unique<AlignedMemory>(std::move(*memory));
    delete worker->offered.exchange(offer.release(), std::memory_order_acq_rel);
  }
  return true;
}

bool ThreadPool::reserveScratch(size_t bytes) {
  std::lock_guard<std::mutex> lock(scratchMutex);
  if (bytes <= scratchBytes) {
    return true;
  }
  // If memory is short, some workers keep more scratch than they need.
  if (!offerScratch(bytes)) {
    return false;
  }
  scratchBytes = bytes;
  return true;
}

void ThreadPool::trimScratch() {
  std::lock_guard<std::mutex> lock(scratchMutex);
  if (scratchBytes != 0 && offerScratch(scratchBytes)) {
    for (std::unique_ptr<Worker> &worker : workers) {
      call(*worker, 0);
    }
  }
}

void *ThreadPool::start(void *worker) {
  Worker &self = *static_cast<Worker *>(worker);
  SignalStack stack;
  DefaultFloatingPoint floatingPoint;
  self.pool->work(self);
  return nullptr;
}

// Gives the worker a ticket, which makes it look at all launches again. If several launches call a
// worker at once, it calls the workers of one of them; the launch of the others has fewer workers.
void ThreadPool::call(Worker &worker, uint32_t callsBelow) {
  worker.callsBelow.store(callsBelow, std::memory_order_relaxed);
  worker.ticket.fetch_add(1);
  if (worker.sleeps.load()) {
    futexWake(worker.ticket);
  }
}

// Calls the workers that thread `range` of a launch of `used` threads calls.
void ThreadPool::callOthers(uint32_t range, uint32_t used) {
  for (int64_t called : CallTree::calledBy(range)) {
    if (called < used) {
      call(*workers[static_cast<size_t>(called) - 1], used);
    }
  }
}

void ThreadPool::work(Worker &worker) {
  uint32_t seen = 0;
  while (true) {
    if (!spinUntil([&] { return worker.ticket.load(std::memory_order_acquire) != seen; })) {
      // A thread that gives a ticket after this store sees that the worker sleeps, and wakes it. A
      // ticket given before this store makes the futex return at once.
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
    callOthers(worker.range, worker.callsBelow.load(std::memory_order_relaxed));
    worker.takeOffered();
    help(worker);
  }
}

// Returns the number of workers that may help; callers not registered by enter() count as one
// thread.
unsigned ThreadPool::helpers() const {
  unsigned calling = std::max(callers.load(std::memory_order_relaxed), 1u);
  return threadCount - std::min(threadCount, calling);
}

bool ThreadPool::mayHelp(const Worker &worker) const { return worker.range <= helpers(); }

// Unregisters a caller. From now on one more worker may help: notifies it of the launches in
// progress.
void ThreadPool::leave() {
  uint32_t left = callers.fetch_sub(1) - 1;
  if (left != 0 && left < threadCount && opened.load() != 0) {
    uint32_t number = threadCount - left;
    if (number <= workers.size()) {
      call(*workers[number - 1], 0);
    }
  }
}

// A worker first takes its own ranges of all launches, whose elements it also computed and read in
// launches before. It takes chunks of other ranges afterwards, and begins with another launch than
// other workers.
void ThreadPool::help(Worker &worker) {
  for (uint32_t i = 0; i < launchCount; ++i) {
    if (opened.load(std::memory_order_acquire) >> i & 1) {
      runRange(launches[i], worker.range, &worker, nullptr);
    }
  }
  for (uint32_t i = 0; i < launchCount; ++i) {
    uint32_t number = (worker.range + i) % launchCount;
    if (opened.load(std::memory_order_acquire) >> number & 1) {
      runChunks(launches[number], worker.range, &worker, nullptr);
    }
  }
}

// Runs chunks of range `first`, then of all other ranges, until no chunk is left.
void ThreadPool::runChunks(Launch &launch, uint32_t first, Worker *worker, void *callerScratch) {
  for (uint32_t i = 0; i < threadCount; ++i) {
    uint32_t range = first + i < threadCount ? first + i : first + i - threadCount;
    if (!runRange(launch, range, worker, callerScratch)) {
      return;
    }
  }
}

// Runs chunks of a range until none is left; false if the worker must not go on. A worker may come
// after its launch has ended, while the slot is being set up for the next launch. It therefore
// reads the launch's work and its own scratch only while it holds a chunk, since a launch doesn't
// end before all of its chunks are done.
bool ThreadPool::runRange(Launch &launch, uint32_t range, Worker *worker, void *callerScratch) {
  std::atomic<uint32_t> &counter = launch.ranges[range].remaining;
  uint32_t remaining = counter.load(std::memory_order_acquire);
  while (remaining != 0) {
    if (worker && !mayHelp(*worker)) {
      return false;
    }
    if (!counter.compare_exchange_weak(remaining, remaining - 1, std::memory_order_acq_rel)) {
      continue;
    }
    if (worker) {
      worker->takeOffered();
    }
    void *scratch = worker ? worker->scratch.data() : callerScratch;
    const Task &task = launch.task;
    const WorkSplit &split = launch.split;
    int64_t chunk = split.chunks(range) - remaining;
    task.kernel(task.buffers, task.dims, scratch, split.chunkBegin(range, chunk),
                split.chunkBegin(range, chunk + 1));
    if (launch.pending.fetch_sub(1) == 1 && launch.callerSleeps.load()) {
      futexWake(launch.pending);
    }
    remaining = counter.load(std::memory_order_acquire);
  }
  return true;
}

void ThreadPool::waitForWorkers(Launch &launch) {
  auto done = [&] { return launch.pending.load(std::memory_order_acquire) == 0; };
  if (done() || spinUntil(done)) {
    return;
  }
  launch.callerSleeps.store(true);
  for (uint32_t left = launch.pending.load(); left != 0; left = launch.pending.load()) {
    futexWait(launch.pending, left);
  }
  launch.callerSleeps.store(false);
}

// Acquires a free launch slot; null if all are taken.
ThreadPool::Launch *ThreadPool::open(uint32_t &number) {
  uint32_t taken = opened.load(std::memory_order_relaxed);
  do {
    number = static_cast<uint32_t>(std::countr_one(taken));
    if (number >= launchCount) {
      return nullptr;
    }
  } while (!opened.compare_exchange_weak(taken, taken | uint32_t(1) << number));
  return &launches[number];
}

// Sets a slot up for a task; from then on workers may take its chunks. Returns the number of
// threads among which the task is split.
int64_t ThreadPool::start(Launch &launch, const Task &task, uint32_t threads) {
  const WorkSplit split = WorkSplit::of(task.work, threads);
  launch.task = task;
  launch.split = split;
  launch.pending.store(static_cast<uint32_t>(split.allChunks()));
  for (uint32_t i = 0; i < split.ranges; ++i) {
    launch.ranges[i].remaining.store(static_cast<uint32_t>(split.chunks(i)),
                                     std::memory_order_release);
  }
  return split.ranges;
}

// Launches the first tasks, as many as there are free slots, and waits for them. Returns how many
// tasks are done, at least one.
size_t ThreadPool::launchSome(std::span<const Task> tasks, uint32_t threads, void *callerScratch) {
  std::array<uint32_t, maxLaunches> numbers = {};
  size_t done = 0, used = 0;
  int64_t shares = 0;
  for (; done < tasks.size() && used < numbers.size(); ++done) {
    if (tasks[done].work.tiles <= 0) {
      continue;
    }
    Launch *launch = open(numbers[used]);
    if (!launch) {
      break;
    }
    shares += start(*launch, tasks[done], threads);
    ++used;
  }
  if (done == 0) {
    runHere(tasks.front(), callerScratch);
    return 1;
  }
  callOthers(0, static_cast<uint32_t>(std::min<int64_t>(shares, threads)));
  for (uint32_t number : std::span(numbers).first(used)) {
    runRange(launches[number], 0, nullptr, callerScratch);
  }
  for (uint32_t number : std::span(numbers).first(used)) {
    runChunks(launches[number], 0, nullptr, callerScratch);
  }
  for (uint32_t number : std::span(numbers).first(used)) {
    waitForWorkers(launches[number]); // workers may have come that this launch didn't call
    opened.fetch_and(~(uint32_t(1) << number), std::memory_order_release);
  }
  return done;
}

void ThreadPool::runHere(const Task &task, void *callerScratch) {
  if (task.work.tiles > 0) {
    task.kernel(task.buffers, task.dims, callerScratch, 0, task.work.tiles);
  }
}

void ThreadPool::parallel(std::span<const Task> tasks, void *callerScratch) {
  // Even if no worker may help now, one may when other callers leave.
  const uint32_t threads = std::min(helpers() + 1, processors);
  int64_t shares = 0;
  for (const Task &task : tasks) {
    shares += std::min(WorkSplit::threadsFor(task.work, threadCount), task.work.tiles);
  }
  while (!tasks.empty()) {
    size_t done = 1;
    if (shares > 1) {
      done = launchSome(tasks, threads, callerScratch);
    } else {
      runHere(tasks.front(), callerScratch);
    }
    tasks = tasks.subspan(done);
  }
}

} // namespace drumlin
