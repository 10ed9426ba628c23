// The kernels of a block while they are formed, and which of them reads what another one computes.
//
// Operations are added from the last one of the block to the first, so that whatever is added reads
// only what is still to be added. The graph keeps its groups in an order in which each stands
// before those that it reads; what would leave no such order is refused. A question is answered
// from the groups between those that it names in that order.
#pragma once

#include "drumlin/transforms/KernelFormation.h"
#include "llvm/ADT/DenseMap.h"

#include <deque>

namespace drumlin {

// A kernel in the making; or one operation that joins no kernel.
struct FusionGroup {
  KernelGroup kernel;
  llvm::SmallVector<mlir::Operation *> roots; // what is stored, all of one shape
  bool isLoop = false;
  FusionGroup *mergedInto = nullptr;
  size_t position = 0; // in the order

  llvm::ArrayRef<int64_t> shape() const;
};

class FusionGraph {
public:
  // A group of its own for an operation.
  void addAlone(mlir::Operation *op);
  void addLoop(mlir::Operation *root);
  // An operation that is computed in the group and nowhere else, or repeated in it. Either reads
  // only what is still to be added.
  void addFused(FusionGroup &group, mlir::Operation *op);
  void addRematerialized(FusionGroup &group, mlir::Operation *op);

  // The groups that compute an operation, in the order in which it was added to them.
  llvm::SmallVector<FusionGroup *> groupsOf(mlir::Operation *op) const;
  // All loops.
  llvm::SmallVector<FusionGroup *> loops();

  // Whether groups would need one another if `joined` were one and `readers` read its results.
  bool wouldCycle(llvm::ArrayRef<FusionGroup *> joined, llvm::ArrayRef<FusionGroup *> readers);
  // Makes one group of several, the first one. They must not need one another through other groups.
  void merge(llvm::ArrayRef<FusionGroup *> joined);
  // A fused operation becomes a result of its group, which `readers` read.
  void addRoot(FusionGroup &group, mlir::Operation *op, llvm::ArrayRef<FusionGroup *> readers);

private:
  FusionGroup &add(mlir::Operation *op, bool isLoop);
  FusionGroup *homeOf(mlir::Operation *op) const;
  llvm::SmallVector<mlir::Operation *> producersOf(mlir::Operation *op);
  // The groups up to `last` that `joined` read, directly or through others; nothing where one of
  // `ends` is among them, or one of `joined` through another group.
  std::optional<llvm::SmallPtrSet<FusionGroup *, 16>>
  follow(llvm::ArrayRef<FusionGroup *> joined, llvm::ArrayRef<FusionGroup *> ends, size_t last);
  void moveBehind(llvm::ArrayRef<FusionGroup *> joined, llvm::ArrayRef<FusionGroup *> readers);

  std::deque<FusionGroup> groups;
  std::vector<FusionGroup *> order; // null where a group was merged into another one
  llvm::DenseMap<mlir::Operation *, llvm::SmallVector<FusionGroup *, 2>> groupsOfOperation;
  // Of operations with regions, which take long to walk.
  llvm::DenseMap<mlir::Operation *, llvm::SmallVector<mlir::Operation *>> capturedBy;
};

} // namespace drumlin
