// The buffers phase: assigns memory to every value.
#pragma once

#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/Pass/Pass.h"

namespace drumlin {

#define GEN_PASS_DECL
#include "drumlin/transforms/buffers/Passes.h.inc"

#define GEN_PASS_REGISTRATION
#include "drumlin/transforms/buffers/Passes.h.inc"

} // namespace drumlin
