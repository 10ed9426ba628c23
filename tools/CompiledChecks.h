// Compiles and runs a test program that checks its own results. The program's constants are hidden
// from constant folding, so that native code computes the values that are compared.
#pragma once

#include "drumlin/interpreter/Interpreter.h"
#include "drumlin/support/ProcessGroups.h"
#include "drumlin/target/Target.h"
#include "drumlin/target/TargetNames.h"

namespace drumlin {

// The target that a program is compiled for, and the command that runs its image.
struct CompiledFor {
  TargetPtr target = nativeTarget();
  // A command that runs images elsewhere (driver/check/ForeignRun.h). If empty, they run here.
  std::string runner = {};
};

// Compiles the function and runs it. The interpreter then evaluates the function's comparisons of
// the results. Fails with the compiler's and the run's diagnostics, and with CheckFailed.
Status runCompiled(mlir::func::FuncOp entry, const InterpreterOptions &options,
                   const CompiledFor &made);

// Compiles the function for this machine as a program of a grid's processes. Runs all processes
// concurrently, each on its own arguments, and returns the results of each process. Fails with the
// compiler's and the run's diagnostics.
Result<std::vector<std::vector<Tensor>>>
runProcessesCompiled(mlir::func::FuncOp function, const GridShape &grid,
                     const std::vector<std::vector<Tensor>> &arguments);

} // namespace drumlin
