// Runs a grid of processes, which may all run one program or each its own. Source: StableHLO
// specification, "Parallel execution".
#pragma once

#include "drumlin/interpreter/Interpreter.h"
#include "drumlin/support/ProcessGroups.h"

namespace drumlin {

struct ProcessProgram {
  mlir::func::FuncOp function;
  std::vector<Tensor> arguments;
};

struct GridRun {
  std::vector<std::vector<Tensor>> results; // of each process
  std::vector<std::vector<Tensor>> outfeed; // what was written, in order
};

// The programs are those of the processes (0, 0), (0, 1), …, (1, 0), …: one for each place of the
// grid (ProcessGridMismatch). All together stay within the limits that the options set. `infeed`
// holds what is read from it, in order. Errors: as those of interpret(), ProcessesBlocked where the
// processes wait for each other in vain, InfeedEmpty.
Result<GridRun> interpretGrid(std::span<const ProcessProgram> programs, GridShape grid,
                              const InterpreterOptions &options = {},
                              std::vector<std::vector<Tensor>> infeed = {});

} // namespace drumlin
