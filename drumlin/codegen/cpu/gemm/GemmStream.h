// The computation of a GEMV: a few rows times the columns of an operand that is read once, in
// memory order.
#pragma once

#include "drumlin/codegen/cpu/gemm/GemmBuilder.h"
#include "drumlin/ir/plan/gemm/GemmSchedule.h"

namespace drumlin::codegen {

class GemmStream : public GemmBuilder {
public:
  // The operands and the memory for the sums.
  struct Range {
    // Emits a row's k elements, for lanes from `depth` on; or one k element, the same in all lanes.
    llvm::function_ref<llvm::Value *(int64_t row, const LaneIndex &depth)> rowTerm;
    // Emits the element of the column `next` positions after `column`.
    llvm::function_ref<llvm::Value *(const LaneIndex &column, int64_t next, const LaneIndex &depth)>
        columnTerm;
    llvm::Value *k = nullptr, *columns = nullptr;
    bool wholeColumns = false; // known to be full vectors
    bool fewColumns = true;    // may be fewer than `sideBySide`
    // Row-major. In alongColumns(), float sums over more than one block of k are followed by the
    // two parts of their compensated sums (SumOfBlocks): twice as much memory again.
    llvm::Value *sums = nullptr, *sumStride = nullptr;
    llvm::Value *prefetched = nullptr; // prefetch distance in k elements; null: no prefetch
  };

  // `width`: lanes of the vectors. `sideBySide`: columns that are summed at once in alongK(), or k
  // elements that are added to the sums at once in alongColumns().
  GemmStream(ElementEmitter &emitter, const CpuTarget &target, llvm::Type *sumType, int64_t rows,
             int64_t width, int64_t sideBySide)
      : GemmBuilder(emitter, target), sumType(sumType), rows(rows), width(width),
        sideBySide(sideBySide) {}

  // Multiplies; k must be contiguous in memory.
  void alongK(const Range &range);
  // Multiplies; columns must be contiguous in memory.
  void alongColumns(const Range &range);
  // Returns the memory that alongColumns() needs at `sums`, in multiples of the sums, for at most
  // this k.
  static int64_t partsAlongColumns(llvm::Type *sumType, int64_t k) {
    return sumType->isFloatingPointTy() && k > stepsOfStream ? 3 : 1;
  }

private:
  struct Column {
    llvm::Value *base;
    int64_t next; // offset from `base`
  };
  void addDepths(const Range &range, llvm::Value *begin, llvm::Value *end, int64_t count);
  void addDepths(const Range &range, llvm::Value *begin, llvm::Value *end);
  // Emits body(address) for each vector of the sums.
  void forSums(const Range &range, llvm::function_ref<void(llvm::Value *)> body);
  llvm::SmallVector<llvm::Value *> addBlocks(const Range &range, llvm::ArrayRef<Column> columns,
                                             llvm::Value *end);
  llvm::SmallVector<llvm::Value *> addLanes(const Range &range, llvm::ArrayRef<Column> columns,
                                            llvm::Value *base, llvm::Value *mask,
                                            llvm::ArrayRef<llvm::Value *> before);
  llvm::Value *sumLanes(llvm::Value *vector);
  // Whether the loop from `begin` to `end` is known to have no iterations.
  static bool isNone(llvm::Value *begin, llvm::Value *end) { return begin == end; }

  llvm::Type *sumType;
  int64_t rows, width, sideBySide;
};

} // namespace drumlin::codegen
