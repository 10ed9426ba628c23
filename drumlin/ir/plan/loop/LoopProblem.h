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
  llvm::SmallVector<std::pair<unsigned, mlir::Value>> roots; // by output number
  llvm::SetVector<mlir::Operation *> slice;                  // the roots' producers, operands first

  int64_t elements() const { return *elementCount(shape); }
  // Returns the size of the last dimension.
  int64_t rowLength() const { return shape.empty() ? 1 : shape.back(); }
  auto rootValues() const { return llvm::make_second_range(roots); }
};

// Returns the groups of a loop kernel's region, in the order of their first roots. Results without
// elements are in no group.
std::vector<LoopGroup> groupRoots(mlir::Block &region);

// Determines which values' indices depend on the last dimension of a group's roots. Conservative:
// dimensions that may depend on it count as dependent.
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

// Whether an operation of the group needs the index in a dimension, not just the row-major
// position.
bool needsDimensions(const LoopGroup &group);

// Returns the reductions that are the same for a full row of the roots. The group must have
// dimensions.
llvm::SmallVector<mlir::Operation *> rowReductions(const LoopGroup &group);
// Whether all reductions of contiguous elements are the same for a full row.
bool reducesWholeRows(const LoopGroup &group);

// Cost of a load and a store of one cached element, in arithmetic operations.
inline constexpr int64_t operationsPerCopiedElement = 8;

// Returns the operations whose row a traversal by rows computes once and keeps in memory, for
// example the exponentials of a softmax. Such an operation has several users, all of them roots or
// reductions along the row, that read each element at its own index. Computing an element and its
// operands must cost more than a copy.
llvm::SetVector<mlir::Operation *> keptInRows(const LoopGroup &group);

// Returns the dimension of the roots, other than the last one, along which a transposed operand is
// contiguous; nothing if there is none.
std::optional<int64_t> transposedDimension(const LoopGroup &group);
// Returns the transposes whose operand is contiguous along a dimension of the roots.
llvm::SmallVector<mlir::Operation *> transposesAlong(const LoopGroup &group, int64_t dimension);

// Whether the last dimension has 2 or 4 elements, each of which is a separate operand of a
// concatenation, like the real and imaginary parts of complex numbers, and no other operation
// selects operands by position.
bool interleavesParts(const LoopGroup &group);

// Returns the prefix scan that a traversal can follow by computing its results one after another:
// the group's only reduction, read at the roots' index. Null if there is none.
mlir::Operation *scanToFollow(const LoopGroup &group);

// Whether loads stay contiguous for any number of lanes.
bool staysContiguous(const LoopGroup &group);

} // namespace drumlin
