// Operands whose layout in memory is already the packing that packed kernels read, so that they
// need no packing at run time. A panel has one row or column for each sum in a register. Within a
// panel, the elements of a k-group are contiguous. Static values are converted to this layout
// before the first call.
#pragma once

#include "drumlin/ir/indexing/IndexingMap.h"
#include "drumlin/ir/plan/gemm/GemmProblem.h"
#include "drumlin/support/Layout.h"

namespace drumlin {

// Whether the operation is a slice at a computed position that takes one matrix of a stack: one
// element along each of the leading dimensions, and all elements along the remaining ones.
bool takesSlab(mlir::Operation *op);

// An operand that is stored in panels.
struct GemmPanels {
  mlir::Value memory;   // an argument of the kernel's region, or a slab of one (takesSlab())
  int64_t panels = 0;   // number of panels of one matrix
  int64_t elements = 0; // number of k elements in one panel
};

// Returns the layout of the operand in panels of `width` rows of the lhs, or `width` columns of the
// rhs, as `unit` reads them. Returns nothing if the elements must be converted for the unit, or if
// panels would not divide the dimensions evenly.
std::optional<BlockedLayout> panelLayout(const GemmProblem &problem, GemmOperand operand,
                                         ComputeUnit unit, int64_t width);

// Returns the operand's panels if it is stored in the layout of panelLayout(); nothing otherwise.
std::optional<GemmPanels> panelsOf(const GemmProblem &problem, GemmOperand operand,
                                   ComputeUnit unit, int64_t width);

// How an operand is read from memory, looking through data movement and through slices at computed
// positions. Each slice adds a symbol to the map, for its position. The symbol has the same value
// for all elements.
struct OperandView {
  mlir::Value memory; // source of the first data movement or slice; else the operand
  IndexingMap map;    // map from (batch, row or column, k)

  // Whether the operand reads exactly one memory element for each index.
  bool isPure() const;
};
OperandView viewOf(const GemmProblem &problem, GemmOperand operand);

// Whether the operation is a slice at a computed position.
bool isComputedSlice(mlir::Operation *op);

// Returns three strides of an operand in memory, in elements: along the batch, along rows or
// columns, and along k. Returns nothing if the operand is neither an argument nor computed from one
// by data movement, if its positions are not linear in these three indices, or if they depend on
// symbolic sizes.
std::optional<llvm::SmallVector<int64_t>> stridesInMemory(const GemmProblem &problem,
                                                          GemmOperand operand);

// Whether the operand can be multiplied in place, in registers of `width` columns: its elements and
// the result have the type of the sums, and for each k, the elements of the columns are contiguous
// and fill full registers.
bool liesInRows(const GemmProblem &problem, GemmOperand operand, ComputeUnit unit, int64_t width);

// Maximum number of rows for which columns that don't fit in L2 are multiplied in place. Up to this
// number, packing the columns takes longer than reading blocks of them from memory for each
// micro-kernel.
inline constexpr int64_t maxRowsInPlace = 48;

// Returns the layout of a stack of shape `shape` whose slabs have the layout `layout`.
BlockedLayout stackedLayout(const BlockedLayout &layout, llvm::ArrayRef<int64_t> shape);

// Creates, in a kernel's region, the tensor whose panels are in `memory`.
mlir::Value readPanels(mlir::OpBuilder &builder, mlir::Location loc, mlir::Value memory,
                       const BlockedLayout &layout);

} // namespace drumlin
