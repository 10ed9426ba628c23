// Compiles and runs a test program that compares its own results. Its constants are hidden from
// constant folding, so that native code computes the compared values.
#pragma once

#include "drumlin/interpreter/Interpreter.h"
#include "drumlin/support/ProcessGroups.h"
#include "drumlin/target/Target.h"
#include "drumlin/target/TargetNames.h"

namespace drumlin {

// The target that a program is compiled for, and the command that runs its image.
struct CompiledFor {
  TargetPtr target = nativeTarget();
  std::string runner = {}; // runs images elsewhere (driver/check/ForeignRun.h); empty: here
};

// Compiles the function, runs it, and interprets the comparisons of its results. Fails with the
// compiler's and the run's diagnostics, and with CheckFailed.
Status runCompiled(mlir::func::FuncOp entry, const InterpreterOptions &options,
                   const CompiledFor &made);

// Compiles the function for this machine as a program of a grid's processes, and runs all of them
// concurrently, each on its own arguments. Returns each one's results. Fails with the compiler's
// and the run's diagnostics.
Result<std::vector<std::vector<Tensor>>>
runProcessesCompiled(mlir::func::FuncOp function, const GridShape &grid,
                     const std::vector<std::vector<Tensor>> &arguments);

} // namespace drumlin
