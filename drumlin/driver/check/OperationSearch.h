// Which operation inside a kernel goes wrong: the kernel is compiled once more so that it leaves
// the values of its operations in memory, and runs on the inputs on which it diverged.
#pragma once

#include "drumlin/driver/check/Check.h"
#include "drumlin/ir/plan/PlanDialect.h"

namespace drumlin {

// Fills the divergence's operation. Leaves it empty where the kernel that keeps its values can't be
// compiled, and where all of its values agree: then the fault lies in how they are computed
// together.
void searchOperation(plan::KernelOp kernel, const std::vector<Tensor> &inputs,
                     const CompileOptions &compilation, const CheckOptions &options,
                     LaunchDivergence &divergence);

// Whether an integer that the kernel yields comes from floating-point arithmetic.
bool comesFromRounding(mlir::Value yielded);

} // namespace drumlin
