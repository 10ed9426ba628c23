// The schedule phase: kernels as symbols, launches in order.
#pragma once

#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/IR/BuiltinOps.h"
#include "mlir/Pass/Pass.h"

namespace drumlin {

#define GEN_PASS_DECL
#include "drumlin/transforms/schedule/Passes.h.inc"

#define GEN_PASS_REGISTRATION
#include "drumlin/transforms/schedule/Passes.h.inc"

} // namespace drumlin
