// Finds the faulty operation inside a kernel: recompiles the kernel so that the kernel stores the
// values of its operations, and runs it on the inputs on which its results were wrong.
#pragma once

#include "drumlin/driver/check/Check.h"
#include "drumlin/ir/plan/PlanDialect.h"

namespace drumlin::plan {
class KernelOp;
}

namespace drumlin {

// Sets `operation` of `divergence`. Leaves it empty if the kernel that stores its values can't be
// compiled, or if all stored values are right. In the latter case, the fault occurs only if the
// values aren't stored.
void searchOperation(plan::KernelOp kernel, const std::vector<Tensor> &inputs,
                     const CompileOptions &compilation, const CheckOptions &options,
                     LaunchDivergence &divergence);

// Returns whether an integer result of the kernel depends on floating-point arithmetic.
bool comesFromRounding(mlir::Value yielded);

} // namespace drumlin
