// What a loop kernel computes, before anything is decided about how: results of one shape are
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
  llvm::SmallVector<std::pair<unsigned, mlir::Value>> roots; // by output number
  llvm::SetVector<mlir::Operation *> slice;                  // what the roots need, operands first

  int64_t elements() const { return *elementCount(shape); }
  // Of the last dimension.
  int64_t rowLength() const { return shape.empty() ? 1 : shape.back(); }
  auto rootValues() const { return llvm::make_second_range(roots); }
};

// The groups of a loop kernel's region, in the order of their first root; results without elements
// are in none.
std::vector<LoopGroup> groupRoots(mlir::Block &region);

// Which values' indices depend on the last dimension of a group's roots. Conservative: a dimension
// that may depend on it counts as one that does.
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

// Whether a reduction's elements are contiguous in its operand: its lanes want to run along them.
bool reducesInnermost(mlir::Operation *op);

// Whether an operation of the group needs the index in a dimension, not just the position.
bool needsDimensions(const LoopGroup &group);

// The reductions that are the same for a whole row of the roots. The group has dimensions.
llvm::SmallVector<mlir::Operation *> rowReductions(const LoopGroup &group);
// Whether all reductions of contiguous elements are.
bool reducesWholeRows(const LoopGroup &group);

// A load and a store of one element that stays in the cache, in arithmetic operations.
inline constexpr int64_t operationsPerCopiedElement = 8;

// The operations of which a traversal by rows keeps a row in memory while it is traversed, computed
// once: the roots and reductions along the row, or several of these, want each element at its own
// index, nothing else wants any, and computing it, with what it is made of, takes more than a copy.
// (A softmax's exponentials are such.)
llvm::SetVector<mlir::Operation *> keptInRows(const LoopGroup &group);

// The dimension of the roots along which a transposed operand is contiguous, if that isn't the last
// one.
std::optional<int64_t> transposedDimension(const LoopGroup &group);
// The transposes whose operand is contiguous along a dimension of the roots.
llvm::SmallVector<mlir::Operation *> transposesAlong(const LoopGroup &group, int64_t dimension);

// Whether the last dimension, of 2 or 4 elements, has one operand of a concatenation each, as the
// parts of complex numbers, and nothing else chooses between operands by a position.
bool interleavesParts(const LoopGroup &group);

// The prefix scan that a traversal can follow, computing its results one after another: the group's
// only reduction, wanted at the roots' own index. Null: there is none.
mlir::Operation *scanToFollow(const LoopGroup &group);

// Whether loads stay contiguous whatever the number of lanes.
bool staysContiguous(const LoopGroup &group);

} // namespace drumlin
