#include "drumlin/interpreter/Grid.h"

#include "drumlin/interpreter/Frame.h"
#include "drumlin/support/OutOfMemory.h"
#include "drumlin/support/diagnostics/InterpreterErrors.h"
#include "drumlin/support/diagnostics/LimitErrors.h"

#include <pthread.h>

namespace drumlin {

// Maximum number of processes, each of which has a thread. A larger grid is assumed to be a
// mistake.
static constexpr int64_t maxProcesses = 4096;
// Stack size for the deepest calls that a frame allows; only touched pages use memory.
static constexpr size_t stackBytes = size_t{32} << 20;

namespace {
struct RunningProcess {
  ProcessGrid *grid = nullptr;
  const InterpreterOptions *options = nullptr;
  const ProcessProgram *program = nullptr;
  size_t index = 0;
  std::optional<Result<std::vector<Tensor>>> results;
  bool endsWithoutMemory = false;
  pthread_t thread = {};
};
} // namespace

static void run(RunningProcess &process) {
  process.grid->begin(process.index);
  if (process.grid->error()) {
    process.results = *process.grid->error();
  } else {
    auto index = static_cast<int64_t>(process.index);
    int64_t partitions = process.grid->shape().partitions;
    Execution execution(*process.options, *process.grid, {index / partitions, index % partitions});
    process.results = Frame(execution).call(process.program->function, process.program->arguments);
  }
  process.grid->end(process.index, *process.results ? nullptr : &process.results->error());
}

static void *runThread(void *argument) {
  auto &process = *static_cast<RunningProcess *>(argument);
  EndsWithoutMemory ends(process.endsWithoutMemory);
  run(process);
  return nullptr;
}

// Starts all processes. Process 0 has the first turn and runs on this thread. It starts last: if
// the thread of another process can't be made, no process has run yet.
static Status runAll(std::vector<RunningProcess> &processes, ProcessGrid &grid) {
  pthread_attr_t attributes;
  if (pthread_attr_init(&attributes) != 0) {
    return diagnose(errors::OutOfMemory, "no threads could be made for the processes");
  }
  pthread_attr_setstacksize(&attributes, stackBytes);
  size_t first = processes.size();
  bool started = true;
  while (first > 1 && started) {
    RunningProcess &process = processes[first - 1];
    process.endsWithoutMemory = EndsWithoutMemory::isHere();
    started = pthread_create(&process.thread, &attributes, runThread, &process) == 0;
    first -= started ? 1 : 0;
  }
  pthread_attr_destroy(&attributes);
  Diagnostic error =
      diagnose(errors::OutOfMemory,
               "no threads could be made for " + std::to_string(processes.size()) + " processes");
  if (started) {
    run(processes.front());
  } else {
    for (size_t i = 0; i < first; ++i) {
      grid.end(i, &error);
    }
  }
  for (size_t i = first; i < processes.size(); ++i) {
    pthread_join(processes[i].thread, nullptr);
  }
  return started ? Status(Done{}) : Status(error);
}

Result<GridRun> interpretGrid(std::span<const ProcessProgram> programs, GridShape shape,
                              const InterpreterOptions &options,
                              std::vector<std::vector<Tensor>> infeed) {
  bool fits = shape.replicas > 0 && shape.partitions > 0 && shape.replicas <= maxProcesses &&
              shape.partitions <= maxProcesses && shape.processes() <= maxProcesses &&
              shape.processes() == static_cast<int64_t>(programs.size());
  if (!fits) {
    return diagnose(errors::ProcessGridMismatch,
                    std::to_string(programs.size()) + " programs for a grid of " +
                        std::to_string(shape.replicas) + " replicas and " +
                        std::to_string(shape.partitions) + " partitions, of at most " +
                        std::to_string(maxProcesses) + " processes");
  }
  ProcessGrid grid(shape, std::move(infeed));
  std::vector<RunningProcess> processes(programs.size());
  for (size_t i = 0; i < programs.size(); ++i) {
    if (Status status = checkArguments(programs[i].function, programs[i].arguments); !status) {
      return status.error();
    }
    processes[i] = {&grid, &options, &programs[i], i, std::nullopt, {}};
  }
  if (Status status = runAll(processes, grid); !status) {
    return status.error();
  }
  if (grid.error()) {
    return *grid.error();
  }
  GridRun made;
  for (RunningProcess &process : processes) {
    made.results.push_back(std::move(**process.results));
  }
  made.outfeed = grid.outfeed();
  return made;
}

} // namespace drumlin
