// Emits a GEMM's operand elements at any index, and the result's index.
#pragma once

#include "drumlin/codegen/cpu/KernelEmitter.h"
#include "drumlin/codegen/cpu/gemm/GemmPacking.h"
#include "drumlin/ir/plan/gemm/GemmSchedule.h"

namespace drumlin::codegen {

class GemmTerms : public GemmProblem {
public:
  // The frame's kernel must have the schedule.
  GemmTerms(KernelFrame &frame, const GemmSchedule &schedule);

  ComputeUnit unit;
  // Returns how many neighbouring k elements form one k-group.
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
    std::optional<IndexingMap> moved; // set if the program computes which part is read
    mlir::Value memory;               // the argument stored in the buffer
  };
  std::optional<Matrix> matrix(GemmOperand operand) const;
  // Emits the position in memory of an element at indices that are the same for all lanes.
  llvm::Value *positionIn(const Matrix &matrix, const LaneIndex &b, const LaneIndex &free,
                          const LaneIndex &depth);
  // The same for a value that consists of the hero's elements, at most moved, with strides for (b,
  // m, n). `fromHero` maps an index of the hero's result to one of the value.
  struct ResultMatrix {
    Buffer buffer;
    SizeExpression offset, batch, m, n;
  };
  std::optional<ResultMatrix> resultMatrix(mlir::Value value, const IndexingMap &fromHero,
                                           const Buffer &buffer) const;

  // Returns the index of the result's elements.
  const IndexTuple *resultIndex(const LaneIndex &b, const LaneIndex &atM, const LaneIndex &atN);

  // Converts sums in sumType to the hero's result: rounded to its type, in compute form.
  Lanes rounded(llvm::Value *sums);

  // Returns the mask of positions at m that exist (aren't padding); null if all do.
  llvm::Value *exists(const LaneIndex &atM);

  // Emits elements of the lhs of windowRuns(), lanes along a row of runs from `element` on: the row
  // of the outputs at atM (the first of a row of outputs) and of the window's outer position at atK
  // (a multiple of the run). Padding and elements past the end of the input's row are zero;
  // `isInRow`: all lanes are elements of the input's row.
  llvm::Value *windowRow(const LaneIndex &atM, const LaneIndex &atK, llvm::Value *element,
                         bool isInRow);
  // Returns the elements [first, last) of such a row, multiples of the lanes, for which windowRow()
  // may be called with `isInRow`.
  std::pair<int64_t, int64_t> windowRowInside() const;

private:
  llvm::Constant *paddingValue(llvm::Type *type);
  // `at`: (b, m, k).
  Lanes convolutionInput(const IndexTuple *at);
  Lanes convolutionInputBySizes(const LaneIndex &b, const LaneIndex &atM, const LaneIndex &atK);
  // Returns the index in one dimension of a group that is traversed as one.
  LaneIndex part(unsigned group, size_t position, const LaneIndex &at);
  // Returns the index in one dimension of a group with symbolic sizes, given the group's index.
  LaneIndex partBySizes(GroupName group, size_t position, const LaneIndex &at);
  // Returns the index into a tensor with these roles and symbolic sizes; `at` has each group's
  // index.
  const IndexTuple *indexBySizes(mlir::Value value, llvm::ArrayRef<Role> roles,
                                 const std::array<LaneIndex, groupCount> &at);
  Extents extentsOfGroups(llvm::ArrayRef<GroupName> groups) const;
  // Converts an operand's element to packed form.
  llvm::Value *asTerm(Lanes element, GemmOperand operand);

  KernelFrame &frame;
  IndexingMap fromLhs, fromRhs, fromResult;
};

} // namespace drumlin::codegen
