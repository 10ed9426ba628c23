// The computation of a GEMV: a few rows times the columns of a large operand, which is read once,
// in memory order.
#pragma once

#include "drumlin/codegen/cpu/gemm/GemmBuilder.h"
#include "drumlin/ir/plan/gemm/GemmSchedule.h"

namespace drumlin::codegen {

class GemmStream : public GemmBuilder {
public:
  // The operands and the memory for the sums.
  struct Range {
    // Emits k elements of one row from `depth` on, one per lane. If `depth` is uniform, all lanes
    // have the k element at `depth`.
    llvm::function_ref<llvm::Value *(int64_t row, const LaneIndex &depth)> rowTerm;
    // Emits the element of the column `next` positions after `column`.
    llvm::function_ref<llvm::Value *(const LaneIndex &column, int64_t next, const LaneIndex &depth)>
        columnTerm;
    llvm::Value *k = nullptr, *columns = nullptr;
    bool wholeColumns = false; // `columns` is known to fill full vectors
    bool fewColumns = true;    // `columns` may be less than `sideBySide`
    // The sums are row-major. In alongColumns(), float sums over more than one block of k take
    // three times this memory: the two values of each compensated sum (SumOfBlocks) follow the
    // sums.
    llvm::Value *sums = nullptr, *sumStride = nullptr;
    llvm::Value *prefetched = nullptr; // prefetch distance in k elements; null: no prefetch
  };

  // `width`: the number of lanes of vectors. `sideBySide`: in alongK(), how many columns are summed
  // at once; in alongColumns(), how many k elements are added to the sums at once.
  GemmStream(ElementEmitter &emitter, const CpuTarget &target, llvm::Type *sumType, int64_t rows,
             int64_t width, int64_t sideBySide)
      : GemmBuilder(emitter, target), sumType(sumType), rows(rows), width(width),
        sideBySide(sideBySide) {}

  // Computes the sums of an operand that is contiguous along k in memory.
  void alongK(const Range &range);
  // Computes the sums of an operand whose columns are adjacent in memory.
  void alongColumns(const Range &range);
  // Returns how much memory alongColumns() needs at `sums` for up to `k` k elements, as a multiple
  // of the size of the sums.
  static int64_t partsAlongColumns(llvm::Type *sumType, int64_t k) {
    return sumType->isFloatingPointTy() && k > stepsOfStream ? 3 : 1;
  }

private:
  struct Column {
    llvm::Value *base;
    int64_t next; // offset of the column from `base`
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
  // Returns whether the loop from `begin` to `end` is known to have no iterations.
  static bool isNone(llvm::Value *begin, llvm::Value *end) { return begin == end; }

  llvm::Type *sumType;
  int64_t rows, width, sideBySide;
};

} // namespace drumlin::codegen
