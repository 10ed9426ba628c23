// Which kernels may write a result over one of their inputs.
#pragma once

#include "drumlin/ir/plan/PlanDialect.h"
#include "drumlin/ir/stablehlo/StablehloOps.h"

namespace drumlin {

// Whether the kernel stays right when the memory of its output begins where that of its input does,
// and is no larger: each element of the input is read only where, and before, the same bytes of the
// output are written; or, in a loop that runs in one piece from the first result to the last, no
// later than they are (isReadAhead()). `dynamic_update_slice` and `scatter` then leave most of
// their operand as it is.
bool mayComputeInPlace(plan::KernelOp kernel, unsigned input, unsigned output);

// The update that a dynamic_update_slice kernel of one result writes into its operand, if that is
// all it does.
stablehlo::DynamicUpdateSliceOp inPlaceUpdate(mlir::Block &region);

} // namespace drumlin
