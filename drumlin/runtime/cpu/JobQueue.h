// Jobs that run one after another on a few threads, first come, first served. One of those that
// have no job spins for some tens of microseconds before it sleeps as the others do.
#pragma once

#include "drumlin/runtime/cpu/Queue.h"

#include <functional>
#include <memory>
#include <vector>

namespace drumlin {

class JobQueue : public Queue {
public:
  // Threads are started as jobs come, and stay.
  explicit JobQueue(unsigned maxThreads);
  // All jobs must have been taken. May be called from within a job.
  ~JobQueue() override;
  JobQueue(const JobQueue &) = delete;
  JobQueue &operator=(const JobQueue &) = delete;

  // Runs the job at once where the system refuses the first thread.
  void submit(std::function<void()> job) override;
  // Each gets a thread at once, whatever the limit. False where the system refuses one.
  [[nodiscard]] bool submitTogether(std::vector<std::function<void()>> jobs) override;

  // Seconds from submit() until a thread that waits hears of the end of a job that does nothing,
  // where the queue's threads sleep: the median of three. Takes less than a millisecond.
  double measureHandOver();

  // Whether the calling thread is one of some queue's: it must not wait for other jobs.
  static bool isJobThread();

private:
  struct State;
  static void *start(void *state);
  bool addThread();
  std::shared_ptr<State> state; // shared with the threads, which may end later
};

} // namespace drumlin
