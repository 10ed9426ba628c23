// Determines which kernels may write a result over one of their inputs.
#pragma once

#include "drumlin/ir/plan/PlanDialect.h"
#include "drumlin/ir/stablehlo/StablehloOps.h"

namespace drumlin {

// Whether the kernel stays correct if its output's memory begins where its input's does and is no
// larger. This holds if each output element depends on the input only at its own position and is
// written after the input is read; or if a loop is a single task that writes its results from first
// to last and overwrites nothing that a later result reads (isReadAhead()). `dynamic_update_slice`
// and `scatter` then leave most of their operand unchanged.
bool mayComputeInPlace(plan::KernelOp kernel, unsigned input, unsigned output);

// Returns the update that a dynamic_update_slice kernel of one result writes into its operand, if
// it does nothing else.
stablehlo::DynamicUpdateSliceOp inPlaceUpdate(mlir::Block &region);

} // namespace drumlin
