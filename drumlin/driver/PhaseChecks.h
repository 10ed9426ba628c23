// Checks the program between phases against the options: numerics, target, sizes and memory. A
// failure is the fault of the program or the options, not of a pass.
#pragma once

#include "drumlin/driver/Options.h"
#include "drumlin/support/Diagnostics.h"
#include "mlir/IR/BuiltinOps.h"

namespace drumlin {

// Checks that the numerics allow the compute unit of every schedule. Only a phase's text that was
// read from a file can violate this.
Status checkUnits(mlir::ModuleOp module, Numerics numerics);

// Checks that multiply-adds are marked as fused only if the numerics allow this.
Status checkFusedProducts(mlir::ModuleOp module, const CompileOptions &options);

// Checks that a call's peak memory is within CompileOptions::memoryBudget. Run after `buffers`.
Status checkMemory(mlir::ModuleOp module, const CompileOptions &options);

// Checks, after a phase, that a program with symbolic sizes is valid at all of its sizes. The types
// in the program state only the nominal sizes.
Status checkSizes(const std::string &phase, mlir::ModuleOp module);

} // namespace drumlin
