// Operands that are stored in memory as packed kernels multiply them: in panels of as many rows or
// columns as one register holds sums, in which the elements of a unit's k-group are contiguous.
// Such operands need no packing; static values are laid out this way before the first call.
#pragma once

#include "drumlin/ir/indexing/IndexingMap.h"
#include "drumlin/ir/plan/gemm/GemmProblem.h"
#include "drumlin/support/Layout.h"

namespace drumlin {

// Whether the operation is a slice at a computed position that takes one element of each of the
// first dimensions and all elements of the others: one matrix of a stack.
bool takesSlab(mlir::Operation *op);

// An operand in panels: its memory, the number of panels, and their depth.
struct GemmPanels {
  mlir::Value memory;   // an argument of the kernel's region, or a slab of one (takesSlab())
  int64_t panels = 0;   // number of panels of one matrix
  int64_t elements = 0; // number of k elements in one panel
};

// Returns the layout of the operand's tensor in panels of `width` rows (of the lhs) or columns (of
// the rhs) for a unit. Nothing if the unit needs the elements converted, or if dimensions that are
// traversed as one cannot be divided into panels.
std::optional<BlockedLayout> panelLayout(const GemmProblem &problem, GemmOperand operand,
                                         ComputeUnit unit, int64_t width);

// Returns the operand's panels if it is stored in this layout; nothing otherwise.
std::optional<GemmPanels> panelsOf(const GemmProblem &problem, GemmOperand operand,
                                   ComputeUnit unit, int64_t width);

// An operand as it is read from memory, looking through data movement and slices at computed
// positions; such a slice adds a symbol to the map that is the same for all elements.
struct OperandView {
  mlir::Value memory; // operand of the first such operation
  IndexingMap map;    // map from (batch, row or column, k)

  // Whether the operand reads exactly one memory element for each index.
  bool isPure() const;
};
OperandView viewOf(const GemmProblem &problem, GemmOperand operand);

// Whether the operation is a slice at a computed position.
bool isComputedSlice(mlir::Operation *op);

// Returns the strides of (batch, row or column, k) in memory, in elements, of an operand that is an
// argument or moved from one; nothing if its positions are not linear in these indices, or if they
// depend on symbolic sizes.
std::optional<llvm::SmallVector<int64_t>> stridesInMemory(const GemmProblem &problem,
                                                          GemmOperand operand);

// Whether the operand can be multiplied from memory in registers of `width` columns: numbers of the
// sums' type, with a row of whole registers for each k element.
bool liesInRows(const GemmProblem &problem, GemmOperand operand, ComputeUnit unit, int64_t width);

// Maximum number of rows for which such columns are multiplied in place if they don't fit in L2:
// packing them would take longer than reading blocks of them from memory for each micro-kernel.
inline constexpr int64_t maxRowsInPlace = 48;

// Returns the layout of a stack whose slabs have this layout; `shape` is the stack's.
BlockedLayout stackedLayout(const BlockedLayout &layout, llvm::ArrayRef<int64_t> shape);

// Creates, in a kernel's region, the tensor whose panels are in `memory`.
mlir::Value readPanels(mlir::OpBuilder &builder, mlir::Location loc, mlir::Value memory,
                       const BlockedLayout &layout);

} // namespace drumlin
