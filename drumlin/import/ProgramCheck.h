// Checks of parsed programs besides MLIR's verifier: they must have supported types and operations,
// no recursion, and an entry function.
#pragma once

#include "drumlin/import/ImportLimits.h"
#include "drumlin/support/Diagnostics.h"

#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/IR/BuiltinOps.h"

namespace drumlin {

// Returns the first source position in a location as `file:line:column`; empty if it has none.
std::string str(mlir::Location loc);

// Fails with exit status 4 if an operation or type isn't supported. To be called before
// verification, so that unsupported operations and types aren't reported as errors in the program.
// ImportLimits::nativeTypesOnly and ImportLimits::plans determine the supported types and
// operations.
Status checkSupported(mlir::ModuleOp module, const ImportLimits &limits);

// Replaces invalid UTF-8 in the file and scope names of locations.
void mendNames(mlir::ModuleOp module);

// Replaces `stablehlo.return` at the end of functions with `func.return`. StableHLO's specification
// ends functions in `stablehlo.return`.
void endFunctionsInReturn(mlir::ModuleOp module);

// Checks a verified program: the entry exists, no function is recursive, and each donated argument
// of the entry names a result of its type that no other argument names.
Status checkProgram(mlir::ModuleOp module);

} // namespace drumlin
