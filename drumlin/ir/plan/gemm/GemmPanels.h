// Operands that are stored in memory in the packing of packed kernels, so that they need no packing
// at run time. A panel has one row or column for each sum in a register, and the elements of a
// unit's k-group are contiguous in it. Static values are laid out this way before the first call.
#pragma once

#include "drumlin/ir/indexing/IndexingMap.h"
#include "drumlin/ir/plan/gemm/GemmProblem.h"
#include "drumlin/support/Layout.h"

namespace drumlin {

// Whether the operation is a slice at a computed position that takes one matrix of a stack: one
// element along each of the leading dimensions, and all elements along the remaining ones.
bool takesSlab(mlir::Operation *op);

// An operand in panels: its memory, the number of panels, and their depth.
struct GemmPanels {
  mlir::Value memory;   // an argument of the kernel's region, or a slab of one (takesSlab())
  int64_t panels = 0;   // number of panels of one matrix
  int64_t elements = 0; // number of k elements in one panel
};

// Returns the layout of the operand's tensor in panels of `width` rows (of the lhs) or columns (of
// the rhs) for a unit. Nothing if the elements must be converted for the unit, or if dimensions
// that are traversed as one cannot be divided into panels.
std::optional<BlockedLayout> panelLayout(const GemmProblem &problem, GemmOperand operand,
                                         ComputeUnit unit, int64_t width);

// Returns the operand's panels if it is stored in this layout; nothing otherwise.
std::optional<GemmPanels> panelsOf(const GemmProblem &problem, GemmOperand operand,
                                   ComputeUnit unit, int64_t width);

// An operand as it is read from memory, looking through data movement and slices at computed
// positions. Such a slice adds a symbol to the map; its value is the same for all elements.
struct OperandView {
  mlir::Value memory; // operand of the first such operation
  IndexingMap map;    // map from (batch, row or column, k)

  // Whether the operand reads exactly one memory element for each index.
  bool isPure() const;
};
OperandView viewOf(const GemmProblem &problem, GemmOperand operand);

// Whether the operation is a slice at a computed position.
bool isComputedSlice(mlir::Operation *op);

// Returns the strides, in elements of memory, of an operand's batch, row or column, and k. The
// operand must be an argument or computed from one by data movement. Nothing if its positions are
// not linear in these indices, or if they depend on symbolic sizes.
std::optional<llvm::SmallVector<int64_t>> stridesInMemory(const GemmProblem &problem,
                                                          GemmOperand operand);

// Whether the operand can be multiplied in place, in registers of `width` columns: its elements and
// the result have the sums' type, and for each k element the columns are contiguous and fill full
// registers.
bool liesInRows(const GemmProblem &problem, GemmOperand operand, ComputeUnit unit, int64_t width);

// Maximum number of rows for which columns that don't fit in L2 are multiplied in place. Up to this
// number, packing the columns takes longer than reading blocks of them from memory for each
// micro-kernel.
inline constexpr int64_t maxRowsInPlace = 48;

// Returns the layout of a stack of shape `shape` whose slabs have this layout.
BlockedLayout stackedLayout(const BlockedLayout &layout, llvm::ArrayRef<int64_t> shape);

// Creates, in a kernel's region, the tensor whose panels are in `memory`.
mlir::Value readPanels(mlir::OpBuilder &builder, mlir::Location loc, mlir::Value memory,
                       const BlockedLayout &layout);

} // namespace drumlin
