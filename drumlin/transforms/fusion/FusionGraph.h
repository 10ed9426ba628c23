// The kernels of a block while they are formed, and their data dependences.
//
// Operations are added from the last of the block to the first, so that an added operation reads
// only operations that are added later. The graph keeps its groups ordered: each group precedes the
// groups that it reads. It refuses changes that would make such an order impossible. A query
// searches only the groups between its arguments in that order.
#pragma once

#include "drumlin/transforms/KernelFormation.h"
#include "llvm/ADT/DenseMap.h"

#include <deque>

namespace drumlin {

// A kernel being formed, or a single operation that joins no kernel.
struct FusionGroup {
  KernelGroup kernel;
  llvm::SmallVector<mlir::Operation *> roots; // stored results, all of one shape
  bool isLoop = false;
  FusionGroup *mergedInto = nullptr;
  size_t position = 0; // index in FusionGraph::order

  llvm::ArrayRef<int64_t> shape() const;
};

class FusionGraph {
public:
  // Creates a group for one operation.
  void addAlone(mlir::Operation *op);
  void addLoop(mlir::Operation *root);
  // addFused() adds an operation that only the group computes; addRematerialized() adds one that
  // other groups compute too. The operation may read only operations that are not added yet.
  void addFused(FusionGroup &group, mlir::Operation *op);
  void addRematerialized(FusionGroup &group, mlir::Operation *op);

  // Returns the groups that compute an operation, in the order in which the operation was added to
  // them.
  llvm::SmallVector<FusionGroup *> groupsOf(mlir::Operation *op) const;
  // Returns all loop groups.
  llvm::SmallVector<FusionGroup *> loops();

  // Returns whether a dependence cycle would arise if the groups `joined` were merged and the
  // groups `readers` read the results.
  bool wouldCycle(llvm::ArrayRef<FusionGroup *> joined, llvm::ArrayRef<FusionGroup *> readers);
  // Merges the groups into the first group. They must not depend on one another through groups that
  // are not merged.
  void merge(llvm::ArrayRef<FusionGroup *> joined);
  // Makes a fused operation a result of its group, read by `readers`.
  void addRoot(FusionGroup &group, mlir::Operation *op, llvm::ArrayRef<FusionGroup *> readers);

private:
  FusionGroup &add(mlir::Operation *op, bool isLoop);
  FusionGroup *homeOf(mlir::Operation *op) const;
  llvm::SmallVector<mlir::Operation *> producersOf(mlir::Operation *op);
  // Returns the groups up to `last` that the groups `joined` read, directly or transitively.
  // Returns nothing if one of `ends` is among them, or if `joined` depends on itself through
  // another group.
  std::optional<llvm::SmallPtrSet<FusionGroup *, 16>>
  follow(llvm::ArrayRef<FusionGroup *> joined, llvm::ArrayRef<FusionGroup *> ends, size_t last);
  void moveBehind(llvm::ArrayRef<FusionGroup *> joined, llvm::ArrayRef<FusionGroup *> readers);

  std::deque<FusionGroup> groups;
  std::vector<FusionGroup *> order; // null for groups merged into another
  llvm::DenseMap<mlir::Operation *, llvm::SmallVector<FusionGroup *, 2>> groupsOfOperation;
  // Operands captured by operations with regions; cached, since traversing regions is slow.
  llvm::DenseMap<mlir::Operation *, llvm::SmallVector<mlir::Operation *>> capturedBy;
};

} // namespace drumlin
