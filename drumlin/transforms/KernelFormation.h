// Kernel formation: turns a set of operations of one block into one kernel-forming operation of the
// plan.
#pragma once

#include "drumlin/ir/plan/PlanDialect.h"
#include "mlir/IR/IRMapping.h"
#include "llvm/ADT/SetVector.h"

namespace drumlin {

// The operations of a kernel that isn't formed yet.
struct KernelGroup {
  plan::KernelKind kind = plan::KernelKind::loop;
  mlir::Operation *hero = nullptr; // defines the kernel's kind; null for loop kernels
  // Operations that only this kernel computes; results with users outside the kernel become
  // outputs.
  llvm::SetVector<mlir::Operation *> fused;
  // Operations that this kernel and others compute; their results never become outputs.
  llvm::SetVector<mlir::Operation *> rematerialized;

  bool contains(mlir::Operation *op) const {
    return fused.contains(op) || rematerialized.contains(op);
  }
  size_t size() const; // sum of sizeInKernel()
};

// Returns the number of operations that `op` counts as in a kernel. A concatenation counts once per
// operand, since it generates code for each.
size_t sizeInKernel(mlir::Operation *op);

// Maximum operations of a kernel: larger kernels compile slowly and spill. Counts all operations,
// even those without cost, since code that traverses a kernel's region may recurse over it.
inline constexpr size_t maxKernelOperations = 256;

// Constants of up to this many elements are copied into kernels; larger ones become inputs and are
// stored in the image once.
inline constexpr int64_t maxKernelConstantElements = 64;

// Returns whether a constant operation is copied into the kernels that use it.
bool isKernelConstant(mlir::Operation *op);

// Replaces the group's operations by one operation whose region computes all values that have users
// outside the group. Constants that the group uses are copied into the region. Afterwards uses may
// precede definitions in the block: see restoreOrder().
mlir::Operation *formKernel(const KernelGroup &group);

// Copies the operations that compute `value`, except those already in `mapping`, and adds the
// copies to it. Returns the copy of `value`.
mlir::Value copyWithOperands(mlir::OpBuilder &builder, mlir::Value value, mlir::IRMapping &mapping);

// Erases unused operations and inputs of a kernel-forming operation.
void pruneKernel(mlir::Operation *kernel);

// If users of the kernel precede it, reorders its block so that values are defined before their
// uses. Moves as few operations as possible.
void restoreOrder(mlir::Operation *kernel);
// Reorders a block so that all its values are defined before their uses.
void restoreOrder(mlir::Block &block);

// Returns whether `value`, which the block computes, depends on the group through an operation
// outside the group. If so, an operation that uses `value` can't join the group.
bool dependsOnGroupThroughOutside(mlir::Value value, const KernelGroup &group);

} // namespace drumlin
