// The problem of a loop kernel, before any scheduling decision. Results of the same shape are
// traversed together.
#pragma once

#include "drumlin/support/Tensor.h"
#include "mlir/IR/Operation.h"
#include "llvm/ADT/DenseMap.h"
#include "llvm/ADT/SetVector.h"

#include <optional>

namespace drumlin {

// The results of one shape.
struct LoopGroup {
  Shape shape;
  llvm::SmallVector<std::pair<unsigned, mlir::Value>> roots; // each with the number of its output
  llvm::SetVector<mlir::Operation *> slice;                  // the roots' producers, operands first

  int64_t elements() const { return *elementCount(shape); }
  // Returns the size of the last dimension.
  int64_t rowLength() const { return shape.empty() ? 1 : shape.back(); }
  auto rootValues() const { return llvm::make_second_range(roots); }
};

// Returns the groups of a loop kernel's region, in the order of their first roots. Results without
// elements are in no group.
std::vector<LoopGroup> groupRoots(mlir::Block &region);

// Determines which values are read at an index that depends on the position along the last
// dimension of a group's roots. Conservative: an index that may depend on this position counts as
// dependent.
class LastDimensionUse {
public:
  // `slice` lists the operations, operands first.
  LastDimensionUse(const Shape &rootShape, llvm::ArrayRef<mlir::Value> roots,
                   llvm::ArrayRef<mlir::Operation *> slice);
  bool isIndependent(mlir::Operation *op) const;

private:
  void merge(mlir::Value value, llvm::ArrayRef<bool> varies);
  void visit(mlir::Operation *op);

  llvm::DenseMap<mlir::Value, llvm::SmallVector<bool>> uses;
};

// Whether the elements that a reduction combines are contiguous in its operand, so that lanes
// should run along them.
bool reducesInnermost(mlir::Operation *op);

// Whether lanes should run along the elements that a reduction of the group combines. Not so if the
// reduction makes one result of far fewer elements than the group has, as a sum of a sum's parts
// does: that result is computed once, before the group's elements.
bool determinesLanes(mlir::Operation *op, const LoopGroup &group);

// Whether an operation of the group needs the index along a dimension in addition to the row-major
// position.
bool needsDimensions(const LoopGroup &group);

// Returns the reductions that have the same value for all elements of a row of the roots. The
// group's shape must have at least one dimension.
llvm::SmallVector<mlir::Operation *> rowReductions(const LoopGroup &group);
// Whether all reductions of contiguous elements have the same value for all elements of a row.
bool reducesWholeRows(const LoopGroup &group);

// Cost of a load and a store of one cached element, in arithmetic operations.
inline constexpr int64_t operationsPerCopiedElement = 8;

// Returns the operations of which a traversal by rows computes each row once and keeps it in
// memory, for example the exponentials of a softmax. The results of such an operation are read only
// at their own index, by at least two consumers: reductions along the row, or the roots. Computing
// an element and its operands costs more than copying it.
llvm::SetVector<mlir::Operation *> keptInRows(const LoopGroup &group);

// Returns the dimension of the roots, other than the last one, along which a transposed operand is
// contiguous; nothing if there is none.
std::optional<int64_t> transposedDimension(const LoopGroup &group);
// Returns the transposes whose operand is contiguous along the dimension `dimension` of the roots.
llvm::SmallVector<mlir::Operation *> transposesAlong(const LoopGroup &group, int64_t dimension);

// Whether each root concatenates 2 or 4 operands, each with one element along the last dimension,
// such as the real and imaginary parts of complex numbers. No other operation may be a
// concatenation, a pad or a reduction.
bool interleavesParts(const LoopGroup &group);

// Returns the prefix scan that a traversal can follow, that is, whose results it can compute one
// after another. This scan is the group's only reduction, and is read only at the roots' index.
// Returns null if there is none.
mlir::Operation *scanToFollow(const LoopGroup &group);

// Whether the loads of all operations stay contiguous for any number of lanes.
bool staysContiguous(const LoopGroup &group);

} // namespace drumlin
