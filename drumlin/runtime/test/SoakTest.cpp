// Tests that many calls of one program from many threads, through every function of the C
// interface, don't grow the process's memory.
#include "drumlin/runtime/drumlin.h"

#include <algorithm>
#include <atomic>
#include <cstdio>
#include <fstream>
#include <gtest/gtest.h>
#include <memory>
#include <thread>
#include <unistd.h>
#include <vector>

static constexpr int threadCount = 8, callCount = 100'000, roundCalls = 25;
static constexpr size_t elements = 1000, alignment = 64;

static size_t residentBytes() {
  size_t pages = 0, resident = 0;
  std::ifstream file("/proc/self/statm");
  EXPECT_TRUE(file >> pages >> resident);
  return resident * static_cast<size_t>(sysconf(_SC_PAGESIZE));
}

namespace {
struct Buffers {
  std::vector<float> memory = std::vector<float>(4 * elements);
  const void *args[4];
  void *results[3];
  float *out, *total;
  float expected;

  // Sets the pointers, to unaligned addresses if `shift` isn't 0.
  void place(size_t shift, float x, float y) {
    float *begin = memory.data();
    begin += (alignment - reinterpret_cast<uintptr_t>(begin) % alignment) % alignment / 4 + shift;
    out = begin + 2 * 1008;
    total = out + 1008;
    std::fill_n(begin, elements, x);
    std::fill_n(begin + 1008, elements, y);
    args[0] = begin;
    args[1] = begin + 1008;
    args[2] = total;
    args[3] = nullptr;
    results[0] = out;
    results[1] = total + 16;
    results[2] = total;
    expected = 2 * x + y;
  }
  bool isRight() const { return out[0] == expected && out[elements - 1] == expected; }
};

// The rounds of calls of one caller.
struct Worker {
  drumlin_executable *program;
  int number;
  std::atomic<int> &callbacks;
  std::vector<Buffers> buffers = std::vector<Buffers>(4);
  int wrong = 0;

  void check(drumlin_error *error, bool isExpected = true) {
    wrong += (error == nullptr) != isExpected;
    drumlin_error_free(error);
  }
  Buffers &next(int i) {
    Buffers &each = buffers[static_cast<size_t>(i % 4)];
    each.place(static_cast<size_t>(i % 3), static_cast<float>(number + i % 5),
               static_cast<float>(i % 7));
    return each;
  }
  void call(int i) {
    Buffers &each = next(i);
    check(drumlin_run(program, each.args, 4, each.results, 3));
    wrong += !each.isRight();
  }
  void callInContext(int count) {
    drumlin_context *context = nullptr;
    check(drumlin_context_create(program, &context));
    for (int i = 0; i < count; ++i) {
      Buffers &each = next(i);
      check(drumlin_context_run(context, each.args, 4, each.results, 3));
      wrong += !each.isRight();
    }
    drumlin_context_free(context);
  }
  // Starts four runs at once; the last waits for the first three, one of which fails if `fails`.
  void callLater(bool fails) {
    drumlin_event *events[4] = {};
    for (int i = 0; i < 4; ++i) {
      Buffers &each = next(i);
      if (fails && i == 1) {
        const_cast<float *>(static_cast<const float *>(each.args[0]))[0] = -2e9f;
      }
      drumlin_run_request request = {};
      request.size = sizeof(request);
      request.args = each.args;
      request.arg_count = 4;
      request.results = each.results;
      request.result_count = 3;
      request.after = events;
      request.after_count = i == 3 ? 3 : 0;
      check(drumlin_run_async(program, &request, &events[i]));
      check(drumlin_event_on_ready(
          events[i],
          [](void *count, const drumlin_error *) { ++*static_cast<std::atomic<int> *>(count); },
          &callbacks));
    }
    check(drumlin_event_wait(events[3]), !fails);
    for (int i : {2, 0, 3, 1}) {
      check(drumlin_event_wait(events[i]), !(fails && (i == 1 || i == 3)));
      wrong += !(fails && (i == 1 || i == 3)) && !buffers[static_cast<size_t>(i)].isRight();
      drumlin_event_free(events[i]);
    }
  }
  void round(int i) {
    for (int call = 0; call < 12; ++call) {
      this->call(call + i);
    }
    callInContext(5);
    callLater(false);
    callLater(i % 8 == number);
    if (i % 16 == 0) {
      drumlin_trim(program);
    }
    if (i % 16 == 8) {
      check(drumlin_argument_changed(program, 1));
    }
  }
};
} // namespace

static void soak(const char *path) {
  drumlin_load_options options = {};
  options.size = sizeof(options);
  options.threads = 2;
  drumlin_executable *program = nullptr;
  ASSERT_EQ(drumlin_load(path, &options, &program), nullptr);
  std::atomic<int> callbacks{0}, wrong{0};
  size_t early = 0;
  constexpr int rounds = callCount / threadCount / roundCalls, warm = rounds / 5;
  std::vector<std::unique_ptr<Worker>> workers;
  for (int i = 0; i < threadCount; ++i) {
    workers.emplace_back(new Worker{program, i, callbacks});
  }
  auto run = [&](int first, int last) {
    std::vector<std::thread> threads;
    for (std::unique_ptr<Worker> &worker : workers) {
      threads.emplace_back([&worker, first, last] {
        for (int i = first; i < last; ++i) {
          worker->round(i);
        }
      });
    }
    for (std::thread &thread : threads) {
      thread.join();
    }
  };
  run(0, warm);
  early = residentBytes();
  run(warm, rounds);
  size_t late = residentBytes();
  for (std::unique_ptr<Worker> &worker : workers) {
    wrong += worker->wrong;
  }
  drumlin_free(program);
  EXPECT_EQ(wrong, 0);
  EXPECT_EQ(callbacks, rounds * threadCount * 8);
  // A call that leaked a page would keep 300 MiB here, one that leaked a word 0.6 MiB.
  EXPECT_LT(late, early + (size_t(1) << 20) * MAX_GROWN_MIB) << early;
  std::printf("resident: %.2f MiB after a fifth of the calls, %.2f MiB after all\n",
              static_cast<double>(early) / (1 << 20), static_cast<double>(late) / (1 << 20));
}

TEST(SlowSoak, MemoryStaysFlat) { soak(TEST_IMAGES "/plain.so"); }
