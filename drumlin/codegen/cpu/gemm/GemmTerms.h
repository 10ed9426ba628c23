// The terms of a GEMM's products as code: a problem's operands at any index, and its result's
// index.
#pragma once

#include "drumlin/codegen/cpu/KernelEmitter.h"
#include "drumlin/codegen/cpu/gemm/GemmPacking.h"
#include "drumlin/ir/plan/gemm/GemmSchedule.h"

namespace drumlin::codegen {

class GemmTerms : public GemmProblem {
public:
  // The frame's kernel has the schedule.
  GemmTerms(KernelFrame &frame, const GemmSchedule &schedule);

  ComputeUnit unit;
  // Neighbouring terms of k in one unit.
  int64_t kGroup() const { return info(unit).kGroup; }
  // What the unit takes of an operand.
  PackedElement packedElement() const;
  // A term, or the 32 bits of several.
  llvm::Type *unitType() const;
  llvm::Type *sumLlvmType() const;

  // The operand's elements at (b, m or n, k) as terms: a scalar where no index depends on the lane.
  // A convolution's padding is its operand's 0.
  llvm::Value *term(GemmOperand operand, const LaneIndex &b, const LaneIndex &free,
                    const LaneIndex &depth);

  // An operand that lies in memory with one stride for each of (b, m or n, k); in elements.
  struct Matrix {
    Buffer buffer;
    SizeExpression offset, batch, free, depth;
    std::optional<IndexingMap> moved; // set where the program computes which part is read
    mlir::Value memory;               // the argument that lies in the buffer
  };
  std::optional<Matrix> matrix(GemmOperand operand) const;
  // Emits the position in memory of an element at indices that all lanes have.
  llvm::Value *positionIn(const Matrix &matrix, const LaneIndex &b, const LaneIndex &free,
                          const LaneIndex &depth);
  // The same of a value of the hero's elements, moved at most: by (b, m, n). `fromHero` leads from
  // the index of the hero's result to that of the value.
  struct ResultMatrix {
    Buffer buffer;
    SizeExpression offset, batch, m, n;
  };
  std::optional<ResultMatrix> resultMatrix(mlir::Value value, const IndexingMap &fromHero,
                                           const Buffer &buffer) const;

  // The index of the result's elements.
  const IndexTuple *resultIndex(const LaneIndex &b, const LaneIndex &atM, const LaneIndex &atN);

  // Sums in sumType as the hero's result: rounded to its type, in compute form.
  Lanes rounded(llvm::Value *sums);

  // Which of the positions at m exist; null where all do.
  llvm::Value *exists(const LaneIndex &atM);

  // Terms of the lhs of windowRuns(), lanes along a row of runs from `element` on: that of the
  // outputs at atM (the first of a row of outputs) and of the window's outer position at atK (a
  // multiple of the run). Padding is zero, and so is what lies behind the input's own row;
  // `isInRow`: all lanes are elements of that row.
  llvm::Value *windowRow(const LaneIndex &atM, const LaneIndex &atK, llvm::Value *element,
                         bool isInRow);
  // Elements [first, last) of such a row, multiples of the lanes: all lanes from each of these
  // multiples on are elements of the input's row.
  std::pair<int64_t, int64_t> windowRowInside() const;

private:
  llvm::Constant *paddingValue(llvm::Type *type);
  // `at`: (b, m, k).
  Lanes convolutionInput(const IndexTuple *at);
  Lanes convolutionInputBySizes(const LaneIndex &b, const LaneIndex &atM, const LaneIndex &atK);
  // The index in one dimension of a group that is walked as one.
  LaneIndex part(unsigned group, size_t position, const LaneIndex &at);
  // The index in one dimension of a group by its sizes, given that of the group.
  LaneIndex partBySizes(GroupName group, size_t position, const LaneIndex &at);
  // Then the index in a tensor of these roles; `at` has that of each group.
  const IndexTuple *indexBySizes(mlir::Value value, llvm::ArrayRef<Role> roles,
                                 const std::array<LaneIndex, groupCount> &at);
  Extents extentsOfGroups(llvm::ArrayRef<GroupName> groups) const;
  // An operand's element as a term.
  llvm::Value *asTerm(Lanes element, GemmOperand operand);

  KernelFrame &frame;
  IndexingMap fromLhs, fromRhs, fromResult;
};

} // namespace drumlin::codegen
