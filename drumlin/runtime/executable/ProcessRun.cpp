// Runs of all processes of a program at once.
#include "drumlin/runtime/executable/Executable.h"

#include <pthread.h>

namespace drumlin {

struct Executable::ProcessOfRun {
  Executable *executable = nullptr;
  Rendezvous *rendezvous = nullptr;
  int64_t number = 0;
  Passed passed;
  Keep keep = Keep::Nothing;
  ExecutionContext *context = nullptr;
  Status status = Done();
  pthread_t thread = {};

  void run() {
    context->setProcess(rendezvous, number);
    status = executable->runIn(*context, passed, keep);
    context->setProcess(nullptr, 0);
    rendezvous->end(number, status);
  }
};

void *Executable::startProcess(void *process) {
  static_cast<ProcessOfRun *>(process)->run();
  return nullptr;
}

// Where a thread can't be made, those that run end with that error.
Status Executable::runProcesses(std::span<ProcessOfRun> processes) {
  Rendezvous rendezvous(image.grid, calls.meetings());
  Status status = Done();
  // All have their memory before one runs.
  for (ProcessOfRun &process : processes) {
    process.rendezvous = &rendezvous;
    process.context = contexts->take();
    if (!process.context) {
      process.context = new ExecutionContext(image, *pool, observers, calls);
    }
    if (status && !process.context->takeMemory()) {
      status = noMemoryForContext();
    }
  }
  size_t started = 1;
  for (; status && started < processes.size(); ++started) {
    ProcessOfRun &process = processes[started];
    if (pthread_create(&process.thread, nullptr, startProcess, &process) != 0) {
      status = diagnose(DiagnosticCode::OutOfMemory,
                        "no threads could be made for " + std::to_string(processes.size()) +
                            " processes",
                        location);
      break;
    }
  }
  if (status) {
    processes.front().run();
  } else {
    rendezvous.end(0, status);
  }
  for (size_t i = 1; i < started; ++i) {
    pthread_join(processes[i].thread, nullptr);
  }
  for (ProcessOfRun &process : processes) {
    contexts->giveBack(process.context);
  }
  return status && rendezvous.error() ? Status(*rendezvous.error()) : status;
}

static std::string gridText(const GridShape &grid) {
  return std::to_string(grid.replicas) + " replicas of " + std::to_string(grid.partitions) +
         " partitions";
}

Status Executable::runProcesses(std::span<const ProcessValues> processes,
                                std::span<const Shape> sizes) {
  Result<CallSizes> made = sizes.empty() ? nominalSizes() : callSizes(sizes);
  if (!made) {
    return made.error();
  }
  if (static_cast<int64_t>(processes.size()) != image.grid.processes()) {
    return mismatch("the program runs as " + gridText(image.grid) + ", not as " +
                    std::to_string(processes.size()) + " processes");
  }
  std::vector<ProcessOfRun> all;
  for (const ProcessValues &values : processes) {
    Passed passed = {values.args, values.results, *made};
    if (Status status = checkValues(passed); !status) {
      return status;
    }
    all.push_back({.executable = this,
                   .number = static_cast<int64_t>(all.size()),
                   .passed = passed,
                   .keep = Keep::StaticArguments});
  }
  return runProcesses(all);
}

Result<std::vector<std::vector<Tensor>>>
Executable::callProcesses(std::span<const std::vector<Tensor>> args) {
  if (static_cast<int64_t>(args.size()) != image.grid.processes()) {
    return mismatch("the program runs as " + gridText(image.grid) + ", not as " +
                    std::to_string(args.size()) + " processes");
  }
  std::vector<Marshalled> marshalled;
  for (const std::vector<Tensor> &each : args) {
    Result<Marshalled> made = marshal(each);
    if (!made) {
      return made.error();
    }
    marshalled.push_back(std::move(*made));
  }
  std::vector<ProcessOfRun> all;
  for (const Marshalled &each : marshalled) {
    Passed passed = each.passed();
    if (Status status = checkValues(passed); !status) {
      return status.error();
    }
    all.push_back({.executable = this,
                   .number = static_cast<int64_t>(all.size()),
                   .passed = passed,
                   .keep = Keep::Nothing});
  }
  if (Status status = runProcesses(all); !status) {
    return status.error();
  }
  std::vector<std::vector<Tensor>> results;
  for (Marshalled &each : marshalled) {
    results.push_back(resultsOf(std::move(each)));
  }
  return results;
}

} // namespace drumlin
