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

// Runs one program per process of the grid (else ProcessGridMismatch), in the order of the
// processes (0, 0), (0, 1), …, (1, 0), …. The limits in the options hold for all processes
// together. `infeed` holds the values to read, in order. Errors: those of interpret(),
// ProcessesBlocked if the processes deadlock, InfeedEmpty.
Result<GridRun> interpretGrid(std::span<const ProcessProgram> programs, GridShape grid,
                              const InterpreterOptions &options = {},
                              std::vector<std::vector<Tensor>> infeed = {});

} // namespace drumlin
