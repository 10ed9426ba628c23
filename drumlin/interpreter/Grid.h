// Runs a grid of processes that share one program or each have their own. Source: StableHLO
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
  std::vector<std::vector<Tensor>> results; // results of each process, in grid order
  std::vector<std::vector<Tensor>> outfeed; // values written to the outfeed, in order
};

// Runs the programs of the processes (0, 0), (0, 1), …, (1, 0), …: one for each process of the grid
// (ProcessGridMismatch). All together stay within the limits in the options. `infeed` holds the
// values to read, in order. Errors: those of interpret(), ProcessesBlocked if the processes
// deadlock, InfeedEmpty.
Result<GridRun> interpretGrid(std::span<const ProcessProgram> programs, GridShape grid,
                              const InterpreterOptions &options = {},
                              std::vector<std::vector<Tensor>> infeed = {});

} // namespace drumlin
