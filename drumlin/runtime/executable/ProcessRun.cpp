// Runs all processes of a program at once.
#include "drumlin/runtime/executable/Executable.h"
#include "drumlin/support/diagnostics/LimitErrors.h"

#include <deque>

namespace drumlin {

struct Executable::ProcessOfRun {
  Executable *executable = nullptr;
  Rendezvous *rendezvous = nullptr;
  int64_t number = 0;
  Passed passed;
  ExecutionContext *context = nullptr;

  void run() {
    context->setProcess(rendezvous, number);
    Status status = executable->runIn(*context, passed);
    context->setProcess(nullptr, 0);
    rendezvous->end(number, status);
  }
};

// Waits until processes on other threads have ended.
namespace {
class Running {
public:
  explicit Running(size_t count) : count(count) {}

  // Notifies under the lock, since the waiting thread destroys this object.
  void end() {
    std::lock_guard<std::mutex> lock(mutex);
    if (--count == 0) {
      changed.notify_one();
    }
  }
  void wait() {
    std::unique_lock<std::mutex> lock(mutex);
    changed.wait(lock, [&] { return count == 0; });
  }

private:
  std::mutex mutex;
  std::condition_variable changed;
  size_t count;
};
} // namespace

Status Executable::runProcesses(std::span<ProcessOfRun> processes) {
  Rendezvous rendezvous(image.grid, calls.meetings());
  Status status = Done();
  // All processes get their memory before any of them runs.
  std::deque<TakenContext> taken;
  for (ProcessOfRun &process : processes) {
    process.rendezvous = &rendezvous;
    TakenContext &context = taken.emplace_back(*contexts);
    if (!context.get()) {
      context.set(new ExecutionContext(image, *pool, observers, calls));
    }
    process.context = context.get();
    if (status && !process.context->takeMemory()) {
      status = noMemoryForContext();
    }
  }
  Running others(processes.size() - 1);
  std::vector<std::function<void()>> jobs;
  for (ProcessOfRun &process : processes.subspan(1)) {
    jobs.emplace_back([&process, &others] {
      process.run();
      others.end();
    });
  }
  if (status && !processThreads.submitTogether(std::move(jobs))) {
    status =
        diagnose(errors::OutOfMemory,
                 "no threads could be made for " + std::to_string(processes.size()) + " processes",
                 location);
  }
  if (status) {
    processes.front().run();
    others.wait();
  }
  return status && rendezvous.error() ? Status(*rendezvous.error()) : status;
}

static std::string gridText(const GridShape &grid) {
  return std::to_string(grid.replicas) + " replicas of " + std::to_string(grid.partitions) +
         " partitions";
}

Status Executable::runProcesses(std::span<const ProcessValues> processes,
                                std::span<const Shape> sizes, bool keepsStaticArguments) {
  Result<CallSizes> made = callSizes(sizes);
  if (!made) {
    return made.error();
  }
  if (static_cast<int64_t>(processes.size()) != image.grid.processes()) {
    return mismatch("the program runs as " + gridText(image.grid) + ", not as " +
                    std::to_string(processes.size()) + " processes");
  }
  std::vector<ProcessOfRun> all;
  for (const ProcessValues &values : processes) {
    Passed passed = {values.args, values.results, *made, keepsStaticArguments};
    if (Status status = checkValues(passed); !status) {
      return status;
    }
    all.push_back(
        {.executable = this, .number = static_cast<int64_t>(all.size()), .passed = passed});
  }
  return runProcesses(all);
}

} // namespace drumlin
