// Forming kernels: a set of operations of one block becomes one kernel-forming operation of the
// plan.
#pragma once

#include "drumlin/ir/plan/PlanDialect.h"
#include "mlir/IR/IRMapping.h"
#include "llvm/ADT/SetVector.h"

namespace drumlin {

// The operations of a kernel that isn't formed yet.
struct KernelGroup {
  plan::KernelKind kind = plan::KernelKind::loop;
  mlir::Operation *hero = nullptr; // of a kernel that isn't a loop
  // Computed here; results with users outside become outputs.
  llvm::SetVector<mlir::Operation *> fused;
  // Computed here as well as elsewhere: never outputs.
  llvm::SetVector<mlir::Operation *> rematerialized;

  bool contains(mlir::Operation *op) const {
    return fused.contains(op) || rematerialized.contains(op);
  }
  size_t size() const; // by sizeInKernel()
};

// How many operations one counts as: a concatenation is code for each of its operands.
size_t sizeInKernel(mlir::Operation *op);

// Kernels beyond this size compile slowly and spill. It counts all operations, free ones too: what
// walks a kernel's region may recurse over it.
inline constexpr size_t maxKernelOperations = 256;

// Constants up to this many elements are copied into kernels; larger ones are inputs, and lie in
// the image once.
inline constexpr int64_t maxKernelConstantElements = 64;

// Whether a constant operation is copied into the kernels that use it.
bool isKernelConstant(mlir::Operation *op);

// Replaces the group's operations by one, whose region computes what has users outside. Constants
// that they use are copied in. Afterwards the block may be out of order: see
// restoreOrder().
mlir::Operation *formKernel(const KernelGroup &group);

// Copies what a value is computed from, but for what the mapping has, which gets what is copied.
// Returns the copy of the value.
mlir::Value copyWithOperands(mlir::OpBuilder &builder, mlir::Value value, mlir::IRMapping &mapping);

// Erases what nothing uses in a kernel-forming operation, its inputs as well.
void pruneKernel(mlir::Operation *kernel);

// Puts the operations of a kernel's block into an order in which values are defined before their
// uses, if users of the kernel stand before it; changes as little as it can.
void restoreOrder(mlir::Operation *kernel);
// The same for all operations of a block.
void restoreOrder(mlir::Block &block);

// Whether `value` (computed in the block) depends on one of the group through an operation
// outside it; then an operation that uses it can't join the group.
bool dependsOnGroupThroughOutside(mlir::Value value, const KernelGroup &group);

} // namespace drumlin
