// Which kernels may write a result over one of their inputs.
#pragma once

#include "drumlin/ir/plan/PlanDialect.h"
#include "drumlin/ir/stablehlo/StablehloOps.h"

namespace drumlin {

// Whether the kernel stays right when the memory of its output begins where that of its input does,
// and is no larger. It does if each output element is computed from the input's bytes at its own
// place alone, and written after they are read; or if a loop is one task, which writes its results
// from the first to the last, and overwrites nothing that a later one reads (isReadAhead()).
// `dynamic_update_slice` and `scatter` then leave most of their operand as it is.
bool mayComputeInPlace(plan::KernelOp kernel, unsigned input, unsigned output);

// The update that a dynamic_update_slice kernel of one result writes into its operand, if that is
// all it does.
stablehlo::DynamicUpdateSliceOp inPlaceUpdate(mlir::Block &region);

} // namespace drumlin
