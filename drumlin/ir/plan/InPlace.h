// Determines which kernels may write a result over one of their inputs.
#pragma once

#include "drumlin/ir/plan/PlanDialect.h"

namespace drumlin::plan {
class KernelOp;
}

namespace drumlin::stablehlo {
class DynamicUpdateSliceOp;
}

namespace drumlin {

// Whether the kernel stays correct if the output's memory begins at the same address as the input's
// and the output is no larger than the input. This holds if each output element depends on the
// input only at its own position, and is written after this position is read. It also holds for a
// loop that is a single task, if the loop writes its results from first to last and overwrites
// nothing that a later result reads (isReadAhead()). In place, `dynamic_update_slice` and `scatter`
// write only the updated elements of their operand.
bool mayComputeInPlace(plan::KernelOp kernel, unsigned input, unsigned output);

// Returns the dynamic_update_slice of a kernel if its result is the kernel's only result, its
// operand is an argument, and its other operands do not depend on this argument; else null.
stablehlo::DynamicUpdateSliceOp inPlaceUpdate(mlir::Block &region);

} // namespace drumlin
