// What a parsed program has to be beyond what MLIR's verifier asks: functions of static tensors
// without recursion, one of them the entry.
#pragma once

#include "drumlin/import/ImportLimits.h"
#include "drumlin/support/Diagnostics.h"

#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/IR/BuiltinOps.h"

namespace drumlin {

// `file:line:column` of the first source position inside a location; empty for a location without
// one.
std::string str(mlir::Location loc);

// Before verification: operations and types that aren't there yet are exit status 4, not errors of
// the program. Types are those that ImportLimits::nativeTypesOnly says, operations of plans as
// ImportLimits::plans does.
Status checkSupported(mlir::ModuleOp module, const ImportLimits &limits);

// Locations of the program name files and scopes in valid UTF-8 then; what isn't is replaced.
void mendNames(mlir::ModuleOp module);

// Functions that end in `stablehlo.return`, as the specification's own grammar has it, end in
// `func.return` then.
void endFunctionsInReturn(mlir::ModuleOp module);

// After verification: the entry exists, no function calls itself, directly or not, and an argument
// of the entry that is donated has the memory of the result that it names for itself.
Status checkProgram(mlir::ModuleOp module);

} // namespace drumlin
