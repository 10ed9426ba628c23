// Finds the faulty operation inside a kernel: recompiles the kernel so that it stores its
// operations' values, and runs it on the inputs on which it diverged.
#pragma once

#include "drumlin/driver/check/Check.h"
#include "drumlin/ir/plan/PlanDialect.h"

namespace drumlin {

// Sets the divergence's operation. Leaves it empty if the kernel that stores its values can't be
// compiled, or if all of these values agree: then the fault is in their combination.
void searchOperation(plan::KernelOp kernel, const std::vector<Tensor> &inputs,
                     const CompileOptions &compilation, const CheckOptions &options,
                     LaunchDivergence &divergence);

// Whether an integer result of the kernel depends on floating-point arithmetic.
bool comesFromRounding(mlir::Value yielded);

} // namespace drumlin
