#include "drumlin/runtime/executable/Event.h"
#include "drumlin/runtime/cpu/JobQueue.h"
#include "drumlin/support/diagnostics/CallErrors.h"

#include <atomic>
#include <barrier>
#include <future>
#include <gtest/gtest.h>
#include <thread>

using namespace drumlin;

TEST(Event, CallbacksAreCalledInTheirOrder) {
  Event event;
  std::vector<int> called;
  event.whenReady([&](const Status &status) { called.push_back(status ? 1 : -1); });
  event.whenReady([&](const Status &) { called.push_back(2); });
  EXPECT_FALSE(event.isReady());
  event.setReady(Done());
  EXPECT_TRUE(event.isReady());
  event.whenReady([&](const Status &) { called.push_back(3); });
  EXPECT_EQ(called, (std::vector{1, 2, 3}));
  EXPECT_TRUE(event.wait());
}

TEST(Event, ManyThreadsWait) {
  Event event;
  std::atomic<int> failed{0};
  std::vector<std::thread> threads;
  for (int i = 0; i < 4; ++i) {
    threads.emplace_back([&] { failed += !event.wait(); });
  }
  event.setReady(diagnose(errors::ProgramFailed, "it failed"));
  for (std::thread &thread : threads) {
    thread.join();
  }
  EXPECT_EQ(failed, 4);
}

// With one thread, a job that waited for another job would block it forever.
TEST(Event, JobsDoNotWaitForOthers) {
  Event first, second, third;
  JobQueue queue(1);
  queue.submit([&] { first.setReady(second.wait()); });
  queue.submit([&] { second.setReady(Done()); });
  Status status = first.wait();
  ASSERT_FALSE(status);
  EXPECT_EQ(status.error().code, errors::WaitInCallback);
  ASSERT_TRUE(second.wait());
  queue.submit([&] { third.setReady(second.wait()); });
  EXPECT_TRUE(third.wait());
}

TEST(JobQueue, RunsEachJobOnce) {
  std::vector<int> ran(1000);
  {
    std::atomic<int> left{1000};
    Event done;
    JobQueue queue(3);
    for (int &each : ran) {
      queue.submit([&] {
        ++each;
        if (--left == 0) {
          done.setReady(Done());
        }
      });
    }
    EXPECT_TRUE(done.wait());
  }
  EXPECT_EQ(ran, std::vector<int>(1000, 1));
}

// Measuring doesn't change the queue: the next job runs, whichever thread ran the measured jobs.
TEST(JobQueue, MeasuresWhatAJobCosts) {
  for (unsigned threads : {1U, 3U}) {
    JobQueue queue(threads);
    double seconds = queue.measureHandOver();
    EXPECT_GT(seconds, 0);
    EXPECT_LT(seconds, 10);
    std::promise<bool> isJob;
    queue.submit([&] { isJob.set_value(JobQueue::isJobThread()); });
    EXPECT_TRUE(isJob.get_future().get());
  }
}

// Jobs that wait for each other need a thread each, whatever other jobs the queue has.
TEST(JobQueue, RunsJobsTogether) {
  constexpr size_t count = 5, rounds = 50;
  std::barrier<> meeting(2 * count);
  std::atomic<size_t> ended{0};
  JobQueue queue(1);
  for (size_t round = 1; round <= rounds; ++round) {
    for (int set = 0; set < 2; ++set) {
      std::vector<std::function<void()>> jobs(count, [&] {
        meeting.arrive_and_wait();
        ++ended;
        ended.notify_one();
      });
      ASSERT_TRUE(queue.submitTogether(std::move(jobs)));
    }
    for (size_t seen = ended; seen < round * 2 * count; seen = ended) {
      ended.wait(seen);
    }
  }
}

// A job may destroy its own queue, as happens if a callback frees an executable.
TEST(JobQueue, EndsWithinAJob) {
  auto done = std::make_shared<Event>();
  auto queue = std::make_shared<JobQueue>(2);
  JobQueue &used = *queue;
  used.submit([held = std::move(queue), done]() mutable {
    held.reset();
    done->setReady(Done());
  });
  EXPECT_TRUE(done->wait());
}
