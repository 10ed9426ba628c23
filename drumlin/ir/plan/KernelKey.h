// Keys of kernels: the hash of a kernel's text without names and locations. Equal keys are equal
// code.
#pragma once

#include "drumlin/ir/plan/PlanDialect.h"
#include "mlir/IR/BuiltinOps.h"

namespace drumlin::plan {

// Computed from all of the kernel that code generation reads; never from the key that it has.
std::string kernelKey(KernelOp kernel);
// The same but for the schedule: of what the kernel computes, however it runs.
std::string problemKey(KernelOp kernel);

// Gives each kernel the key that it should have: a text that anyone may have written has any.
void recomputeKeys(mlir::ModuleOp module);

} // namespace drumlin::plan
