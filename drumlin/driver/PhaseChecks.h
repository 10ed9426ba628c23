// Checks of the program between phases against the options: numerics, target, sizes and memory. A
// failure is the fault of the program or of the options, not of a pass.
#pragma once

#include "drumlin/driver/Options.h"
#include "drumlin/support/Diagnostics.h"
#include "mlir/IR/BuiltinOps.h"

namespace drumlin {

// No schedule has a unit that the numerics keep out (a text's may).
Status checkUnits(mlir::ModuleOp module, Numerics numerics);

// No product stays unrounded where the numerics have no fused multiply-adds.
Status checkFusedProducts(mlir::ModuleOp module, const CompileOptions &options);

// The peak memory of a call is within CompileOptions::memoryBudget. Run after phase `buffers`.
Status checkMemory(mlir::ModuleOp module, const CompileOptions &options);

// With symbolic sizes, types state the nominal sizes: checks that the program which a phase made is
// valid at other sizes, too.
Status checkSizes(const std::string &phase, mlir::ModuleOp module);

} // namespace drumlin
