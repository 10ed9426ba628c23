// Runs a test program that compares its own results, compiled. Its constants are hidden from
// constant folding, so that native code computes what is compared.
#pragma once

#include "drumlin/interpreter/Interpreter.h"

namespace drumlin {

// Compiles the function for this machine, runs it, and interprets the comparisons of its results.
// Fails with the diagnostics of the compiler and of the run, and with CheckFailed.
Status runCompiled(mlir::func::FuncOp entry, const InterpreterOptions &options);

} // namespace drumlin
