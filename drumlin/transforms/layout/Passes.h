// The layout phase: which order every value's dimensions have in memory.
#pragma once

#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/Pass/Pass.h"

namespace drumlin {

#define GEN_PASS_DECL
#include "drumlin/transforms/layout/Passes.h.inc"

#define GEN_PASS_REGISTRATION
#include "drumlin/transforms/layout/Passes.h.inc"

} // namespace drumlin
