// Asynchronous work.
#pragma once

#include <functional>
#include <vector>

namespace drumlin {

class Queue {
public:
  virtual ~Queue() = default;

  // Returns at once, or, where no thread can be had, when the job has run.
  virtual void submit(std::function<void()> job) = 0;
  // Submits jobs that may wait for each other: each begins, whatever else the queue does. False
  // where that can't be; then none runs.
  [[nodiscard]] virtual bool submitTogether(std::vector<std::function<void()>> jobs) = 0;
};

} // namespace drumlin
