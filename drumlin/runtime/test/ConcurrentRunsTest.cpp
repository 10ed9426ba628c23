// Concurrent runs of one executable on many threads, and asynchronous runs.
#include "drumlin/runtime/executable/Executable.h"
#include "drumlin/runtime/test/TestImage.h"
#include "drumlin/support/diagnostics/CallErrors.h"

#include <algorithm>
#include <gtest/gtest.h>
#include <mutex>
#include <thread>

using namespace drumlin;

static constexpr size_t elements = testImageElements;

static std::shared_ptr<Executable> load(const std::string &kind, LoadOptions options = {}) {
  Result<std::unique_ptr<Executable>> loaded =
      Executable::load(std::string(TEST_IMAGES "/") + kind + ".so", options);
  EXPECT_TRUE(loaded) << loaded.error().str();
  return std::move(*loaded);
}

static LoadOptions withThreads(unsigned threads) {
  LoadOptions options;
  options.threads = threads;
  return options;
}

namespace {
// The memory of one caller. With an `offset`, no pointer is a multiple of 64.
struct Caller {
  std::vector<float> memory;
  float *x, *y, *out, *sum, *total, *next;

  explicit Caller(float seed, size_t offset = 0) : memory(4 * elements + 128, 0.0f) {
    size_t begin = (64 - reinterpret_cast<uintptr_t>(memory.data()) % 64) % 64 / sizeof(float);
    x = memory.data() + begin + offset;
    y = x + 1008;
    out = y + 1008;
    sum = out + 1008;
    total = sum + 16;
    next = total + 16;
    for (size_t i = 0; i < elements; ++i) {
      x[i] = seed + static_cast<float>(i % 7) * 0.3f;
      y[i] = seed * static_cast<float>(i % 11) - 0.1f;
    }
    *total = seed;
  }
  // Passes the donated argument's memory as that of its result.
  void donate() { next = total; }
  void fail() { x[0] = -2e9f; }

  LaterRequest request() const {
    return {.args = {x, y, total, nullptr}, .results = {out, sum, next}};
  }
  Status run(Executable &executable) {
    LaterRequest request = this->request();
    return executable.run({.args = request.args, .results = request.results});
  }
  Status run(Executable &executable, ExecutionContext &context) {
    LaterRequest request = this->request();
    return executable.run({.args = request.args, .results = request.results, .context = &context});
  }
  std::vector<float> results() const {
    std::vector<float> all(out, out + elements);
    all.push_back(*sum);
    return all;
  }
  void clear() { std::fill_n(out, elements, 0.0f); }
};
} // namespace

template <typename Body> static void onThreads(int count, Body body) {
  std::vector<std::thread> threads;
  for (int i = 0; i < count; ++i) {
    threads.emplace_back([&body, i] { body(i); });
  }
  for (std::thread &thread : threads) {
    thread.join();
  }
}

// Tests each kind of image, with aligned and unaligned pointers, with and without donation in
// place, in contexts of the executable and of the caller.
TEST(ConcurrentRuns, GiveTheBitsOfSequentialOnes) {
  for (std::string kind : {"plain", "sidefile", "static", "timed"}) {
    for (unsigned poolThreads : {1u, 2u, 5u}) {
      std::shared_ptr<Executable> executable = load(kind, withThreads(poolThreads)),
                                  sequential = load(kind, withThreads(1));
      onThreads(8, [&](int number) {
        Caller caller(static_cast<float>(number) + 0.7f, number % 2 == 0 ? 0 : 3);
        std::vector<float> expected;
        {
          static std::mutex oneByOne;
          std::lock_guard<std::mutex> lock(oneByOne);
          // The allocator may reuse the memory of an earlier caller.
          ASSERT_TRUE(sequential->argumentChanged(1));
          ASSERT_TRUE(executable->argumentChanged(1));
          ASSERT_TRUE(caller.run(*sequential));
          expected = caller.results();
        }
        if (number % 4 < 2) {
          caller.donate();
        }
        std::unique_ptr<ExecutionContext> own;
        if (number >= 4) {
          own = std::move(*executable->makeContext());
        }
        for (int i = 0; i < 50; ++i) {
          caller.clear();
          float before = *caller.total;
          Status status = own ? caller.run(*executable, *own) : caller.run(*executable);
          ASSERT_TRUE(status) << status.error().str();
          ASSERT_EQ(caller.results(), expected);
          ASSERT_EQ(*caller.next, before + 1);
        }
      });
    }
  }
}

TEST(ConcurrentRuns, OneThatFailsLeavesTheOthersAlone) {
  std::shared_ptr<Executable> executable = load("plain", withThreads(2));
  onThreads(8, [&](int number) {
    Caller caller(static_cast<float>(number) + 1);
    ASSERT_TRUE(caller.run(*executable));
    std::vector<float> expected = caller.results();
    if (number == 3) {
      caller.fail();
    }
    for (int i = 0; i < 100; ++i) {
      Status status = caller.run(*executable);
      ASSERT_EQ(bool(status), number != 3);
      if (status) {
        ASSERT_EQ(caller.results(), expected);
      } else {
        ASSERT_EQ(status.error().code, errors::ProgramFailed);
      }
    }
  });
}

// Each caller alternates between two sets of weights. Together, the callers use more sets than the
// executable keeps copies of.
TEST(ConcurrentRuns, StaticArgumentsMayDiffer) {
  std::shared_ptr<Executable> executable = load("static", withThreads(2));
  std::vector<Caller> weights;
  for (int i = 0; i < 3; ++i) {
    weights.emplace_back(static_cast<float>(i) * 2 + 1);
  }
  onThreads(6, [&](int number) {
    Caller caller(static_cast<float>(number));
    float *y[] = {weights[static_cast<size_t>(number) % 3].y,
                  weights[static_cast<size_t>(number + 1) % 3].y};
    for (int i = 0; i < 100; ++i) {
      caller.y = y[i % 2];
      ASSERT_TRUE(caller.run(*executable));
      for (size_t at : {size_t(0), size_t(101), elements - 1}) {
        ASSERT_EQ(caller.out[at], caller.x[at] * 2 + caller.y[at]);
      }
      if (i % 10 == 0) {
        ASSERT_TRUE(executable->argumentChanged(1));
      }
    }
  });
}

TEST(ConcurrentRuns, StaticArgumentsAreReadAgainWhenTheyChange) {
  std::shared_ptr<Executable> executable = load("static", withThreads(1));
  Caller caller(1);
  ASSERT_TRUE(caller.run(*executable));
  float before = caller.out[5];
  caller.y[5] += 1;
  ASSERT_TRUE(caller.run(*executable));
  EXPECT_EQ(caller.out[5], before);
  ASSERT_TRUE(executable->argumentChanged(1));
  ASSERT_TRUE(caller.run(*executable));
  EXPECT_EQ(caller.out[5], before + 1);
}

TEST(ConcurrentRuns, TimersCountAllOfThem) {
  std::shared_ptr<Executable> executable = load("timed", withThreads(2));
  onThreads(4, [&](int number) {
    Caller caller(static_cast<float>(number));
    for (int i = 0; i < 100; ++i) {
      ASSERT_TRUE(caller.run(*executable));
    }
  });
  EXPECT_EQ(executable->kernelTimes()[0].calls, 400);
  EXPECT_GT(executable->kernelTimes()[0].seconds, 0);
}

// With an observer, runs execute one after another.
TEST(ConcurrentRuns, AreOneAfterAnotherUnderObservation) {
  LoadOptions options = withThreads(2);
  int before = 0, after = 0;
  options.observer = [&](LaunchMoment moment, int64_t, void *const *) {
    ++(moment == LaunchMoment::Before ? before : after);
    EXPECT_EQ(before - after, moment == LaunchMoment::Before ? 1 : 0);
  };
  std::shared_ptr<Executable> executable = load("timed", options);
  onThreads(4, [&](int number) {
    Caller caller(static_cast<float>(number));
    for (int i = 0; i < 50; ++i) {
      ASSERT_TRUE(caller.run(*executable));
    }
  });
  EXPECT_EQ(before, 200);
}

TEST(ConcurrentRuns, IdleMemoryIsBoundedAndGivenBack) {
  LoadOptions options = withThreads(2);
  options.maxIdleBytes = 1;
  std::shared_ptr<Executable> executable = load("plain", options);
  size_t one = executable->idleBytes();
  EXPECT_EQ(one, (*executable->makeContext())->bytes());
  auto runAll = [&] {
    onThreads(4, [&](int number) {
      Caller caller(static_cast<float>(number));
      for (int i = 0; i < 20; ++i) {
        ASSERT_TRUE(caller.run(*executable));
      }
    });
  };
  runAll();
  EXPECT_EQ(executable->idleBytes(), one);
  EXPECT_EQ(executable->trim(), one);
  EXPECT_EQ(executable->idleBytes(), 0u);
  runAll();
  EXPECT_EQ(executable->idleBytes(), one);

  std::shared_ptr<Executable> generous = load("plain", withThreads(2));
  Caller caller(1, 1);
  ASSERT_TRUE(caller.run(*generous));
  EXPECT_GT(generous->idleBytes(), one); // runs with unaligned pointers need memory, too
}

TEST(AsynchronousRuns, EndWithTheirResults) {
  std::shared_ptr<Executable> executable = load("plain", withThreads(2));
  std::vector<Caller> callers;
  std::vector<std::shared_ptr<Event>> events;
  for (int i = 0; i < 100; ++i) {
    callers.emplace_back(static_cast<float>(i), i % 3);
    if (i % 10 == 7) {
      callers.back().fail();
    }
  }
  for (Caller &caller : callers) {
    Result<std::shared_ptr<Event>> event = Executable::runLater(executable, caller.request());
    ASSERT_TRUE(event);
    events.push_back(*event);
  }
  std::shared_ptr<Executable> another = load("plain", withThreads(1));
  for (size_t i = 0; i < callers.size(); ++i) {
    Status status = events[i]->wait();
    ASSERT_EQ(bool(status), i % 10 != 7);
    if (status) {
      std::vector<float> got = callers[i].results();
      ASSERT_TRUE(callers[i].run(*another));
      ASSERT_EQ(got, callers[i].results());
    }
  }
}

TEST(AsynchronousRuns, WaitForThoseBefore) {
  std::shared_ptr<Executable> executable = load("plain", withThreads(2));
  Caller caller(1);
  caller.donate(); // so that each run continues from the previous total
  std::shared_ptr<Event> start = std::make_shared<Event>(), last = start;
  constexpr int count = 20000;
  for (int i = 0; i < count; ++i) {
    LaterRequest request = caller.request();
    request.after = {start, last};
    Result<std::shared_ptr<Event>> event = Executable::runLater(executable, std::move(request));
    ASSERT_TRUE(event);
    last = *event;
  }
  EXPECT_FALSE(last->isReady());
  start->setReady(Done());
  ASSERT_TRUE(last->wait());
  EXPECT_EQ(*caller.next, 1 + count);
}

// An error fails all dependent runs without starting them.
TEST(AsynchronousRuns, HandErrorsOn) {
  std::shared_ptr<Executable> executable = load("plain", withThreads(2));
  Caller failing(1), dependent(2), other(3);
  failing.fail();
  dependent.clear();
  std::shared_ptr<Event> start = std::make_shared<Event>();
  LaterRequest first = failing.request(), second = dependent.request();
  first.after = {start};
  second.after = {*Executable::runLater(executable, std::move(first))};
  std::shared_ptr<Event> event = *Executable::runLater(executable, std::move(second));
  start->setReady(Done());
  Status status = event->wait();
  ASSERT_FALSE(status);
  EXPECT_EQ(status.error().code, errors::ProgramFailed);
  EXPECT_EQ(dependent.out[1], 0);
  EXPECT_TRUE((*Executable::runLater(executable, other.request()))->wait());
}

TEST(AsynchronousRuns, WrongRequestsFailAtOnce) {
  std::shared_ptr<Executable> executable = load("plain", withThreads(2));
  Caller caller(1);
  LaterRequest request = caller.request();
  request.args[0] = nullptr;
  EXPECT_EQ(Executable::runLater(executable, request).error().code, errors::ArgumentMismatch);
  std::shared_ptr<Executable> another = load("plain");
  request = caller.request();
  request.context = std::move(*another->makeContext());
  EXPECT_EQ(Executable::runLater(executable, request).error().code, errors::ContextForeign);
}

TEST(AsynchronousRuns, AContextHasOneRun) {
  std::shared_ptr<Executable> executable = load("plain", withThreads(2));
  std::shared_ptr<ExecutionContext> context = std::move(*executable->makeContext());
  Caller caller(1), another(2);
  std::shared_ptr<Event> start = std::make_shared<Event>();
  LaterRequest request = caller.request();
  request.context = context;
  request.after = {start};
  std::shared_ptr<Event> event = *Executable::runLater(executable, request);
  Status status = another.run(*executable, *context);
  ASSERT_FALSE(status);
  EXPECT_EQ(status.error().code, errors::ContextInUse);
  EXPECT_EQ(Executable::runLater(executable, request).error().code, errors::ContextInUse);
  start->setReady(Done());
  EXPECT_TRUE(event->wait());
  EXPECT_TRUE(another.run(*executable, *context));
}
