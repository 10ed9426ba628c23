// Emits a GEMM's operand elements at any index, and the result's index.
#pragma once

#include "drumlin/codegen/cpu/KernelEmitter.h"
#include "drumlin/codegen/cpu/gemm/GemmPacking.h"
#include "drumlin/ir/plan/gemm/GemmSchedule.h"

namespace drumlin::codegen {

class GemmTerms : public GemmProblem {
public:
  // `schedule` must be the schedule of the frame's kernel.
  GemmTerms(KernelFrame &frame, const GemmSchedule &schedule);

  ComputeUnit unit;
  // Returns how many consecutive k elements form one k-group.
  int64_t kGroup() const { return info(unit).kGroup; }
  // Returns the packed form in which the unit reads an operand.
  PackedElement packedElement() const;
  // Returns the type of one k element, or of the 32 bits of a k-group.
  llvm::Type *unitType() const;
  llvm::Type *sumLlvmType() const;

  // Emits the operand's elements at (b, m or n, k) in packed form: a scalar if no index depends on
  // the lane. A convolution's padding is the 0 of the operand's type.
  llvm::Value *term(GemmOperand operand, const LaneIndex &b, const LaneIndex &free,
                    const LaneIndex &depth);

  // An operand in memory with one stride for each of (b, m or n, k), in elements.
  struct Matrix {
    Buffer buffer;
    SizeExpression offset, batch, free, depth;
    std::optional<IndexingMap> moved; // set if the program computes the operand's start
    mlir::Value memory;               // the value whose elements the buffer holds
  };
  std::optional<Matrix> matrix(GemmOperand operand) const;
  // Emits the position in memory of an element at indices that are the same for all lanes.
  llvm::Value *positionIn(const Matrix &matrix, const LaneIndex &b, const LaneIndex &free,
                          const LaneIndex &depth);
  // A value in memory that has the hero's elements, in the same or another order, with one stride
  // for each of (b, m, n), in elements. `fromHero` maps an index of the hero's result to an index
  // of the value.
  struct ResultMatrix {
    Buffer buffer;
    SizeExpression offset, batch, m, n;
  };
  std::optional<ResultMatrix> resultMatrix(mlir::Value value, const IndexingMap &fromHero,
                                           const Buffer &buffer) const;

  // Returns the result's index for an index of each of (b, m, n).
  const IndexTuple *resultIndex(const LaneIndex &b, const LaneIndex &atM, const LaneIndex &atN);

  // Converts sums of type sumType to elements of the hero's result: rounded to the result's type,
  // in compute form.
  Lanes rounded(llvm::Value *sums);

  // Returns a mask of the positions of m that aren't padding; null if none is padding.
  llvm::Value *exists(const LaneIndex &atM);

  // For problems with windowRuns(): emits consecutive elements of one input row, that is, a row of
  // the lhs, from `element` on. `atM` is the first output of a row of outputs. `atK`, a multiple of
  // the run's length, determines a position of the window in the outer spatial dimensions. The
  // input row is the one that the outputs read at this position of the window. Padding and elements
  // past the end of the input's row are zero. `isInRow`: all lanes are known to be elements of the
  // input's row.
  llvm::Value *windowRow(const LaneIndex &atM, const LaneIndex &atK, llvm::Value *element,
                         bool isInRow);
  // Returns the range [first, last) of elements for which windowRow() may be called with `isInRow`;
  // both are multiples of the lanes.
  std::pair<int64_t, int64_t> windowRowInside() const;

private:
  llvm::Constant *paddingValue(llvm::Type *type);
  // Emits elements of a convolution's input. `at`: the index (b, m, k).
  Lanes convolutionInput(const IndexTuple *at);
  Lanes convolutionInputBySizes(const LaneIndex &b, const LaneIndex &atM, const LaneIndex &atK);
  // Returns the index into dimension number `position` of a group of dimensions. `at` is the
  // row-major index into all dimensions of the group.
  LaneIndex part(unsigned group, size_t position, const LaneIndex &at);
  // Returns the same index as part(), for a group of dimensions with symbolic sizes.
  LaneIndex partBySizes(GroupName group, size_t position, const LaneIndex &at);
  // Returns the index into a tensor with symbolic sizes. `roles` has the group of each dimension of
  // the tensor, and `at` has the index into each group.
  const IndexTuple *indexBySizes(mlir::Value value, llvm::ArrayRef<Role> roles,
                                 const std::array<LaneIndex, groupCount> &at);
  Extents extentsOfGroups(llvm::ArrayRef<GroupName> groups) const;
  // Converts an operand's element to packed form.
  llvm::Value *asTerm(Lanes element, GemmOperand operand);

  KernelFrame &frame;
  IndexingMap fromLhs, fromRhs, fromResult;
};

} // namespace drumlin::codegen
