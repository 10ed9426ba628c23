// Runs a test program that compares its own results, compiled. Its constants are hidden from
// constant folding, so that native code computes what is compared.
#pragma once

#include "drumlin/interpreter/Interpreter.h"
#include "drumlin/support/ProcessGroups.h"
#include "drumlin/target/Target.h"
#include "drumlin/target/TargetNames.h"

namespace drumlin {

// The target that a program is compiled for, and the command that runs its image.
struct CompiledFor {
  TargetPtr target = nativeTarget();
  std::string runner = {}; // what runs it elsewhere (driver/check/ForeignRun.h); empty: here
};

// Compiles the function, runs it, and interprets the comparisons of its results. Fails with the
// diagnostics of the compiler and of the run, and with CheckFailed.
Status runCompiled(mlir::func::FuncOp entry, const InterpreterOptions &options,
                   const CompiledFor &made);

// Compiles the function for this machine as a program of a grid's processes and runs these at once,
// each on its own
// arguments; gives the results of each. Fails with the diagnostics of the compiler and of the run.
Result<std::vector<std::vector<Tensor>>>
runProcessesCompiled(mlir::func::FuncOp function, const GridShape &grid,
                     const std::vector<std::vector<Tensor>> &arguments);

} // namespace drumlin
