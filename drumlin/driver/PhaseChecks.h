// What programs between phases must keep for this compilation: its numerics, target, sizes and
// memory. Each failure is the program's or the options'.
#pragma once

#include "drumlin/driver/Options.h"
#include "drumlin/support/Diagnostics.h"
#include "mlir/IR/BuiltinOps.h"

namespace drumlin {

// No schedule has a unit that the numerics keep out (a text's may).
Status checkUnits(mlir::ModuleOp module, Numerics numerics);

// No product stays unrounded where the numerics or the target have no fused multiply-adds.
Status checkFusedProducts(mlir::ModuleOp module, const CompileOptions &options);

// What a call holds at once is within the options' budget. After phase `buffers`.
Status checkMemory(mlir::ModuleOp module, const CompileOptions &options);

// What a phase made of a program whose sizes the run tells is right at other sizes than the nominal
// ones, which all types say.
Status checkSizes(const std::string &phase, mlir::ModuleOp module);

} // namespace drumlin
