// Operands that lie in memory as packed kernels multiply them: in panels, each of as many rows or
// columns as one register has sums, in which the elements of k that a unit takes at once follow one
// another. Nothing has to be packed then; static values are laid out so before the first call.
#pragma once

#include "drumlin/ir/indexing/IndexingMap.h"
#include "drumlin/ir/plan/gemm/GemmProblem.h"
#include "drumlin/support/Layout.h"

namespace drumlin {

// Whether the operation is a slice that begins where the program computes and takes one element of
// each of the first dimensions and all of the others: one matrix of a stack.
bool takesSlab(mlir::Operation *op);

// Where the batch, the panels of one matrix, and the elements of k of one panel lie.
struct GemmPanels {
  mlir::Value memory;   // an argument of the kernel's region, or a slab of one (takesSlab())
  int64_t panels = 0;   // of one matrix
  int64_t elements = 0; // of k, in one panel
};

// The layout of the operand's tensor in panels of `width` rows (of the lhs) or columns (of the rhs)
// for a unit. Nothing where the unit doesn't take its elements as they are, or dimensions that are
// walked as one don't divide into panels.
std::optional<BlockedLayout> panelLayout(const GemmProblem &problem, GemmOperand operand,
                                         ComputeUnit unit, int64_t width);

// The operand's panels where it lies so; nothing otherwise.
std::optional<GemmPanels> panelsOf(const GemmProblem &problem, GemmOperand operand,
                                   ComputeUnit unit, int64_t width);

// An operand as it is read from memory, through data movement and through slices that begin where
// the program computes: those add a symbol to the map that is the same for all elements.
struct OperandView {
  mlir::Value memory; // what is neither
  IndexingMap map;    // from (batch, row or column, k)

  // Whether it has one element for each index, and none twice.
  bool isPure() const;
};
OperandView viewOf(const GemmProblem &problem, GemmOperand operand);

// Whether the operation is a slice that begins where the program computes.
bool isComputedSlice(mlir::Operation *op);

// Returns the strides of (batch, row or column, k), in elements, by which an operand that is moved
// at most lies in memory; nothing where its positions aren't their sums, or only the run tells
// them.
std::optional<llvm::SmallVector<int64_t>> stridesInMemory(const GemmProblem &problem,
                                                          GemmOperand operand);

// Whether the operand lies in memory as a unit multiplies it in registers of `width` columns:
// as numbers of the sums' type, each element of k being a row of whole registers.
bool liesInRows(const GemmProblem &problem, GemmOperand operand, ComputeUnit unit, int64_t width);

// For no more rows than these, columns that lie so but don't fit into the second cache are
// multiplied where they lie: packing them takes longer than reading blocks of them from there for
// each micro-kernel.
inline constexpr int64_t maxRowsInPlace = 48;

// Returns the layout of a stack whose slabs lie so; `shape` is the stack's.
BlockedLayout stackedLayout(const BlockedLayout &layout, llvm::ArrayRef<int64_t> shape);

// In a kernel's region, the tensor that lies so in `memory`.
mlir::Value readPanels(mlir::OpBuilder &builder, mlir::Location loc, mlir::Value memory,
                       const BlockedLayout &layout);

} // namespace drumlin
