// How a loop kernel walks its results. Results of one shape are computed together, in one of four
// walks:
//   flat    over row-major positions, some lanes at a time: where the region never asks for a
//   dimension's index; rows    outer dimensions one by one, the last one by lanes; reductions that
//   are the same for a whole row (a softmax's
//           maximum and sum) are computed once before it;
//   blocked as rows, but a transposed operand's own last dimension moves innermost over a block of
//   positions, so that
//           each cache line of it is read whole while it is near;
//   scan    along the dimension of a prefix scan, which keeps its running value; the last dimension
//   by lanes where that is
//           another one;
//   single  one result at a time; lanes run along the reduced elements inside.
// Walks and tiles are functions of shapes alone.
#pragma once

#include "drumlin/support/Tensor.h"
#include "mlir/IR/Operation.h"
#include "llvm/ADT/DenseMap.h"
#include "llvm/ADT/SetVector.h"

namespace drumlin {

// Elements of one register of lanes, for every element type.
inline constexpr int64_t walkLanes = 16;

enum class Walk { Flat, Rows, Blocked, Scan, Single };

// Positions of the blocked dimension that are walked together: a cache line of f32.
inline constexpr int64_t walkBlock = 16;

struct LoopGroup {
  Shape shape;
  llvm::SmallVector<std::pair<unsigned, mlir::Value>> roots; // by output number
  llvm::SetVector<mlir::Operation *> slice;                  // what the roots need, operands first
  Walk walk = Walk::Flat;
  int64_t count = 0;   // steps of the walk that tiles divide: positions, rows or results
  int64_t perTile = 1; // steps of one tile
  int64_t tiles = 0;
  int64_t width =
      walkLanes; // lanes: more registers at once where reductions would wait for their own last sum
  int64_t blockedDimension = 0;                       // of the blocked walk
  llvm::SmallVector<mlir::Operation *> rowReductions; // computed once before each row
  mlir::Operation *scan = nullptr;                    // of the scan walk
  // Of the blocked walk: transposes whose operand is read along its own last dimension and
  // transposed in registers, where whole blocks fit.
  llvm::SmallVector<mlir::Operation *> transposes;
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

// Whether a reduction's elements lie in a row of its operand: its lanes want to run along them.
bool reducesInnermost(mlir::Operation *op);

// A last dimension shorter than this wastes more than a quarter of the lanes of a row walk.
inline constexpr int64_t shortestRow = 12;

} // namespace drumlin
