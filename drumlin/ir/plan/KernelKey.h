// Keys of kernels. A key is the hash of a kernel's text without names and locations. Kernels with
// equal keys have equal code.
#pragma once

#include "drumlin/ir/plan/PlanDialect.h"
#include "mlir/IR/BuiltinOps.h"

namespace drumlin::plan {
class KernelOp;
}

namespace drumlin::plan {

// Returns the key, computed from all parts of the kernel that code generation reads, but not from
// its current key.
std::string kernelKey(KernelOp kernel);
// Returns the key of the problem that the kernel computes, without its schedule and effort.
std::string problemKey(KernelOp kernel);

// Recomputes the keys of all kernels, because a program text may contain arbitrary keys.
void recomputeKeys(mlir::ModuleOp module);

} // namespace drumlin::plan
