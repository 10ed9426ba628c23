// A first-come, first-served queue of jobs that runs on a few threads. One of the idle threads
// spins for some tens of microseconds before it sleeps; all other idle threads sleep at once.
#pragma once

#include "drumlin/runtime/cpu/Queue.h"

#include <functional>
#include <memory>
#include <vector>

namespace drumlin {

class JobQueue : public Queue {
public:
  // Creates a queue. Threads are started as jobs arrive, and stay.
  explicit JobQueue(unsigned maxThreads);
  // Ends the threads. All jobs must have started. May be called from within a job.
  ~JobQueue() override;
  JobQueue(const JobQueue &) = delete;
  JobQueue &operator=(const JobQueue &) = delete;

  // Submits a job; runs it immediately if the system refuses the first thread.
  void submit(std::function<void()> job) override;
  // Submits jobs, each of which gets a thread at once, even beyond the limit on threads. Returns
  // false if the system refuses a thread.
  [[nodiscard]] bool submitTogether(std::vector<std::function<void()>> jobs) override;

  // Measures the seconds from submit() of an empty job until a waiting thread is notified of its
  // end, with the queue's threads asleep: the median of three. Takes less than a millisecond.
  double measureHandOver();

  // Whether the calling thread belongs to a queue: such a thread must not wait for other jobs.
  static bool isJobThread();

private:
  struct State;
  static void *start(void *state);
  bool addThread();
  std::shared_ptr<State> state; // shared with the threads, which may outlive the queue
};

} // namespace drumlin
