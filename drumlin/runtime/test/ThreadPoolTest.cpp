#include "drumlin/runtime/cpu/ThreadPool.h"

#include <algorithm>
#include <cfenv>
#include <chrono>
#include <gtest/gtest.h>
#include <set>
#include <thread>

using namespace drumlin;

struct Counters {
  std::vector<std::atomic<int>> visits;
  std::atomic<int> calls{0};
  explicit Counters(size_t tiles) : visits(tiles) {}
};

static void count(void *const *buffers, const int64_t *dims, void *scratch, int64_t begin,
                  int64_t end) {
  auto &counters = *static_cast<Counters *>(buffers[0]);
  ++counters.calls;
  for (int64_t tile = begin; tile < end; ++tile) {
    ++counters.visits[static_cast<size_t>(tile)];
  }
}

static void expectOnce(const Counters &counters) {
  for (const std::atomic<int> &visits : counters.visits) {
    ASSERT_EQ(visits, 1);
  }
}

TEST(ThreadPool, EveryTileRunsOnce) {
  for (unsigned threads : {1u, 2u, 7u}) {
    ThreadPool pool(threads, threads);
    EXPECT_EQ(pool.threads(), threads);
    for (int64_t tiles : {0, 1, 2, 3, 6, 7, 8, 13, 14, 64, 1000, 4097}) {
      Counters counters(static_cast<size_t>(tiles));
      void *buffers[] = {&counters};
      pool.parallel(count, buffers, nullptr, nullptr, {.tiles = tiles});
      expectOnce(counters);
      // Each thread gets a few contiguous chunks.
      EXPECT_LE(counters.calls, std::min(tiles, WorkSplit::chunksPerRange * threads));
    }
  }
}

// Also more tasks than there are slots for launches, and tasks without tiles.
TEST(ThreadPool, EveryTileOfSeveralTasksRunsOnce) {
  for (unsigned threads : {1u, 2u, 7u}) {
    ThreadPool pool(threads, threads);
    for (size_t number : {2, 3, 16, 40}) {
      std::vector<std::unique_ptr<Counters>> counters;
      std::vector<void *> buffers;
      for (size_t i = 0; i < number; ++i) {
        counters.push_back(std::make_unique<Counters>(i * 5 % 23));
        buffers.push_back(counters.back().get());
      }
      std::vector<ThreadPool::Task> tasks;
      for (size_t i = 0; i < number; ++i) {
        const auto tiles = static_cast<int64_t>(counters[i]->visits.size());
        tasks.push_back({count, &buffers[i], nullptr, {.tiles = tiles, .secondsOfTile = 1e-6}});
      }
      for (int run = 0; run < 20; ++run) {
        pool.parallel(tasks, nullptr);
      }
      for (const std::unique_ptr<Counters> &each : counters) {
        for (const std::atomic<int> &visits : each->visits) {
          ASSERT_EQ(visits, 20);
        }
      }
    }
  }
}

TEST(ThreadPool, ManyLaunchesInARow) {
  ThreadPool pool(3, 3);
  Counters counters(5);
  void *buffers[] = {&counters};
  for (int i = 0; i < 4000; ++i) {
    pool.parallel(count, buffers, nullptr, nullptr, {.tiles = 5});
  }
  for (const std::atomic<int> &visits : counters.visits) {
    EXPECT_EQ(visits, 4000);
  }
}

// Workers that sleep are woken.
TEST(ThreadPool, LaunchesAfterAPause) {
  ThreadPool pool(2, 2);
  for (int i = 0; i < 20; ++i) {
    std::this_thread::sleep_for(std::chrono::milliseconds(1));
    Counters counters(4);
    void *buffers[] = {&counters};
    pool.parallel(count, buffers, nullptr, nullptr, {.tiles = 4});
    expectOnce(counters);
  }
}

TEST(ThreadPool, SeveralCallersAtOnce) {
  ThreadPool pool(2, 2);
  std::vector<std::thread> callers;
  for (int caller = 0; caller < 4; ++caller) {
    callers.emplace_back([&] {
      for (int i = 0; i < 500; ++i) {
        Counters counters(17);
        void *buffers[] = {&counters};
        pool.parallel(count, buffers, nullptr, nullptr, {.tiles = 17});
        expectOnce(counters);
        ASSERT_TRUE(pool.reserveScratch(static_cast<size_t>(i)));
      }
    });
  }
  for (std::thread &caller : callers) {
    caller.join();
  }
}

static void noteThread(void *const *buffers, const int64_t *dims, void *scratch, int64_t begin,
                       int64_t end) {
  auto &threads = *static_cast<std::vector<std::thread::id> *>(buffers[0]);
  std::fill(threads.begin() + begin, threads.begin() + end, std::this_thread::get_id());
}

// At most as many threads compute as the pool has: if there are as many callers, no worker helps
// them.
TEST(ThreadPool, CallersTakeTheWorkersPlaces) {
  ThreadPool pool(3, 3);
  for (int i = 0; i < 3; ++i) {
    pool.enter();
  }
  for (int i = 0; i < 200; ++i) {
    std::vector<std::thread::id> threads(9);
    void *buffers[] = {&threads};
    pool.parallel(noteThread, buffers, nullptr, nullptr, {.tiles = 9});
    EXPECT_EQ(threads, std::vector<std::thread::id>(9, std::this_thread::get_id()));
  }
  for (int i = 0; i < 3; ++i) {
    pool.leave();
  }
}

// A gate at which chunks wait until the test opens it.
struct Gate {
  std::atomic<int> entered{0};
  std::atomic<bool> open{false};
};

static void waitAtGate(void *const *buffers, const int64_t *dims, void *scratch, int64_t begin,
                       int64_t end) {
  auto &gate = *static_cast<Gate *>(buffers[0]);
  ++gate.entered;
  while (!gate.open) {
    std::this_thread::yield();
  }
}

// Calls launch() on another thread, whose kernel waits at the gate. Opens the gate when a worker
// has come, too, because this thread has left the pool of two threads.
template <typename Launch> static void leaveDuring(ThreadPool &pool, Gate &gate, Launch launch) {
  pool.enter();
  std::thread other([&] {
    pool.enter();
    launch();
    pool.leave();
  });
  while (gate.entered == 0) {
    std::this_thread::yield();
  }
  pool.leave();
  while (gate.entered < 2) {
    std::this_thread::yield();
  }
  gate.open = true;
  other.join();
}

// A caller that leaves frees a thread, which then helps a launch that began earlier.
TEST(ThreadPool, WorkersComeWhenCallersLeave) {
  ThreadPool pool(2, 2);
  Gate gate;
  leaveDuring(pool, gate, [&] {
    void *buffers[] = {&gate};
    pool.parallel(waitAtGate, buffers, nullptr, nullptr, {.tiles = 4});
  });
}

static void finishLate(void *const *buffers, const int64_t *dims, void *scratch, int64_t begin,
                       int64_t end) {
  waitAtGate(buffers, dims, scratch, begin, end);
  if (scratch == nullptr) { // a worker's
    std::this_thread::sleep_for(std::chrono::milliseconds(2));
  }
  *static_cast<std::atomic<int64_t> *>(buffers[1]) += end - begin;
}

// A launch on one processor calls no worker. But a worker may come when another caller leaves, and
// the launch waits for it.
TEST(ThreadPool, LaunchesWaitForWorkersThatTheyDidNotCall) {
  ThreadPool pool(2, 1);
  Gate gate;
  std::atomic<int64_t> finished{0}, atReturn{0};
  leaveDuring(pool, gate, [&] {
    void *buffers[] = {&gate, &finished};
    char scratch = 0;
    pool.parallel(finishLate, buffers, nullptr, &scratch, {.tiles = 4});
    atReturn = finished.load();
  });
  EXPECT_EQ(atReturn, 4);
}

// While one launch is blocked, together with a worker, other launches continue.
TEST(ThreadPool, LaunchesDoNotWaitForEachOther) {
  ThreadPool pool(2, 2);
  Gate gate;
  std::thread other([&] {
    void *buffers[] = {&gate};
    pool.parallel(waitAtGate, buffers, nullptr, nullptr, {.tiles = 4});
  });
  while (gate.entered < 2) {
    std::this_thread::yield();
  }
  Counters counters(17);
  void *buffers[] = {&counters};
  pool.parallel(count, buffers, nullptr, nullptr, {.tiles = 17});
  expectOnce(counters);
  gate.open = true;
  other.join();
}

static void fillScratch(void *const *buffers, const int64_t *dims, void *scratch, int64_t begin,
                        int64_t end) {
  std::fill_n(static_cast<char *>(scratch), dims[0], 'x');
}

TEST(ThreadPool, ScratchIsTrimmedWhileItIsUsed) {
  ThreadPool pool(3, 3);
  ASSERT_TRUE(pool.reserveScratch(1 << 16));
  std::atomic<bool> done{false};
  std::thread trimmer([&] {
    while (!done) {
      pool.trimScratch();
    }
  });
  std::vector<char> callers(1 << 16);
  int64_t bytes = 1 << 16;
  for (int i = 0; i < 200; ++i) {
    pool.parallel(fillScratch, nullptr, &bytes, callers.data(), {.tiles = 8});
  }
  done = true;
  trimmer.join();
}

static void launchAgain(void *const *buffers, const int64_t *dims, void *scratch, int64_t begin,
                        int64_t end) {
  for (int64_t tile = begin; tile < end; ++tile) {
    Counters counters(9);
    void *inner[] = {&counters};
    static_cast<ThreadPool *>(buffers[0])->parallel(count, inner, nullptr, nullptr, {.tiles = 9});
    expectOnce(counters);
  }
}

TEST(ThreadPool, KernelsMayLaunch) {
  ThreadPool pool(3, 3);
  void *buffers[] = {&pool};
  pool.parallel(launchAgain, buffers, nullptr, nullptr, {.tiles = 6});
}

// Holds each thread in its tile until all threads have one, so that no thread computes two.
static void meet(std::atomic<int64_t> &arrived, int64_t all) {
  ++arrived;
  while (arrived < all) {
    std::this_thread::yield();
  }
}

struct ScratchUse {
  std::atomic<int64_t> arrived{0};
  void *seen[4] = {};
};

static void useScratch(void *const *buffers, const int64_t *dims, void *scratch, int64_t begin,
                       int64_t end) {
  auto &use = *static_cast<ScratchUse *>(buffers[0]);
  std::fill_n(static_cast<char *>(scratch), dims[0], 'x');
  use.seen[begin] = scratch;
  meet(use.arrived, 4);
}

TEST(ThreadPool, EachThreadHasScratchOfItsOwn) {
  ThreadPool pool(4, 4);
  for (int64_t bytes : {64, 100'000, 5'000'000}) {
    ASSERT_TRUE(pool.reserveScratch(static_cast<size_t>(bytes)));
    std::vector<char> callers(static_cast<size_t>(bytes));
    ScratchUse use;
    void *buffers[] = {&use};
    pool.parallel(useScratch, buffers, &bytes, callers.data(), {.tiles = 4});
    std::set<void *> different(use.seen, use.seen + 4);
    EXPECT_EQ(different.size(), 4u);
    EXPECT_TRUE(different.count(callers.data()));
  }
  EXPECT_FALSE(pool.reserveScratch(SIZE_MAX));
}

static void meetAll(void *const *buffers, const int64_t *dims, void *scratch, int64_t begin,
                    int64_t end) {
  meet(*static_cast<std::atomic<int64_t> *>(buffers[0]), dims[0]);
}

// Workers call each other, so that all of many come.
TEST(ThreadPool, AllThreadsComeToALaunch) {
  for (int64_t threads : {5, 6, 23}) {
    ThreadPool pool(static_cast<unsigned>(threads), static_cast<unsigned>(threads));
    std::atomic<int64_t> arrived{0};
    void *buffers[] = {&arrived};
    pool.parallel(meetAll, buffers, &threads, nullptr, {.tiles = threads});
    EXPECT_EQ(arrived, threads);
  }
}

// A launch that takes less than calling a worker does runs on the caller's thread alone, and so
// does one on a single processor.
TEST(ThreadPool, LittleWorkIsNotShared) {
  ThreadPool pool(3, 3), ofOneProcessor(3, 1);
  std::vector<std::thread::id> threads(9);
  void *buffers[] = {&threads};
  const std::vector<std::thread::id> callers(9, std::this_thread::get_id());
  for (int i = 0; i < 200; ++i) {
    pool.parallel(noteThread, buffers, nullptr, nullptr, {.tiles = 9, .secondsOfTile = 1e-7});
    EXPECT_EQ(threads, callers);
    threads.assign(9, {});
    ofOneProcessor.parallel(noteThread, buffers, nullptr, nullptr, {.tiles = 9});
    EXPECT_EQ(threads, callers);
    threads.assign(9, {});
  }
}

struct RoundingUse {
  std::atomic<int64_t> arrived{0};
  float sums[3] = {};
};

static void readRounding(void *const *buffers, const int64_t *dims, void *scratch, int64_t begin,
                         int64_t end) {
  volatile float one = 1, small = 1e-10f;
  auto &use = *static_cast<RoundingUse *>(buffers[0]);
  use.sums[begin] = one + small;
  meet(use.arrived, 3);
}

// Workers round to nearest even, whatever rounding the starting thread has set.
TEST(ThreadPool, WorkersHaveTheDefaultFloatingPoint) {
  std::fesetround(FE_UPWARD);
  ThreadPool pool(3, 3);
  RoundingUse use;
  void *buffers[] = {&use};
  {
    DefaultFloatingPoint floatingPoint;
    pool.parallel(readRounding, buffers, nullptr, nullptr, {.tiles = 3});
  }
  EXPECT_EQ(std::fegetround(), FE_UPWARD);
  std::fesetround(FE_TONEAREST);
  for (float sum : use.sums) {
    EXPECT_EQ(sum, 1.0f);
  }
}
