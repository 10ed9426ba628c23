// Checks the program between phases against the options: numerics, target, sizes and memory. A
// failure is the program's or the options' fault, not a pass's.
#pragma once

#include "drumlin/driver/Options.h"
#include "drumlin/support/Diagnostics.h"
#include "mlir/IR/BuiltinOps.h"

namespace drumlin {

// Checks that the numerics allow every schedule's compute unit (a phase text may violate this).
Status checkUnits(mlir::ModuleOp module, Numerics numerics);

// Checks that fused multiply-adds are marked only if the numerics allow them.
Status checkFusedProducts(mlir::ModuleOp module, const CompileOptions &options);

// Checks that a call's peak memory is within CompileOptions::memoryBudget. Run after `buffers`.
Status checkMemory(mlir::ModuleOp module, const CompileOptions &options);

// Checks that a phase's program with symbolic sizes, whose types state the nominal sizes, is also
// valid at other sizes.
Status checkSizes(const std::string &phase, mlir::ModuleOp module);

} // namespace drumlin
