// A test program that compares its own results, compiled: its constants are hidden from folding,
// and what it compares is computed by native code.
#pragma once

#include "drumlin/interpreter/Interpreter.h"

namespace drumlin {

// Compiles the function for this machine and runs it; then interprets the comparisons alone, of
// what the image gave. Fails with what the compiler or the run says, and with CheckFailed.
Status runCompiled(mlir::func::FuncOp entry, const InterpreterOptions &options);

} // namespace drumlin
