// The interface of queues for asynchronous work.
#pragma once

#include <functional>
#include <vector>

namespace drumlin {

class Queue {
public:
  virtual ~Queue() = default;

  // Submits a job and returns at once or, if no thread can be created, after running the job.
  virtual void submit(std::function<void()> job) = 0;
  // Submits jobs that may wait for each other: each gets a thread, whatever other jobs the queue
  // has. False if that is impossible; then none runs.
  [[nodiscard]] virtual bool submitTogether(std::vector<std::function<void()>> jobs) = 0;
};

} // namespace drumlin
