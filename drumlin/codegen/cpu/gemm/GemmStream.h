// The multiplying part of gemv: few rows by the columns of an operand that is read once, in the
// order in which it lies.
#pragma once

#include "drumlin/codegen/cpu/gemm/GemmBuilder.h"
#include "drumlin/ir/plan/gemm/GemmSchedule.h"

namespace drumlin::codegen {

class GemmStream : public GemmBuilder {
public:
  // What is multiplied, and where its sums go.
  struct Range {
    // A row's terms of k, lanes from `depth` on; or one of them, in all lanes.
    llvm::function_ref<llvm::Value *(int64_t row, const LaneIndex &depth)> rowTerm;
    // The term of the column that lies `next` behind another one.
    llvm::function_ref<llvm::Value *(const LaneIndex &column, int64_t next, const LaneIndex &depth)>
        columnTerm;
    llvm::Value *k = nullptr, *columns = nullptr;
    bool wholeColumns = false; // known to be whole vectors
    bool fewColumns = true;    // may be fewer than are summed side by side
    // Row-major. Along columns, sums of floats of more than a block of k are followed by their
    // parts: twice as much memory again.
    llvm::Value *sums = nullptr, *sumStride = nullptr;
    llvm::Value *prefetched = nullptr; // elements of k ahead that memory is asked for; null: none
  };

  // `width`: lanes of the vectors. `sideBySide`: columns that are summed at once along k, or terms
  // of k that are added to the sums at once.
  GemmStream(ElementEmitter &emitter, const CpuTarget &target, llvm::Type *sumType, int64_t rows,
             int64_t width, int64_t sideBySide)
      : GemmBuilder(emitter, target), sumType(sumType), rows(rows), width(width),
        sideBySide(sideBySide) {}

  // k is contiguous in memory.
  void alongK(const Range &range);
  // The columns are.
  void alongColumns(const Range &range);
  // How many times the memory of the sums alongColumns() has behind `sums`, for k at most.
  static int64_t partsAlongColumns(llvm::Type *sumType, int64_t k) {
    return sumType->isFloatingPointTy() && k > stepsOfStream ? 3 : 1;
  }

private:
  struct Column {
    llvm::Value *base;
    int64_t next; // behind it
  };
  void addDepths(const Range &range, llvm::Value *begin, llvm::Value *end, int64_t count);
  void addDepths(const Range &range, llvm::Value *begin, llvm::Value *end);
  // body(place of a vector of the sums), for all of them.
  void forSums(const Range &range, llvm::function_ref<void(llvm::Value *)> body);
  llvm::SmallVector<llvm::Value *> addBlocks(const Range &range, llvm::ArrayRef<Column> columns,
                                             llvm::Value *end);
  llvm::SmallVector<llvm::Value *> addLanes(const Range &range, llvm::ArrayRef<Column> columns,
                                            llvm::Value *base, llvm::Value *mask,
                                            llvm::ArrayRef<llvm::Value *> before);
  llvm::Value *sumLanes(llvm::Value *vector);
  // Whether a loop from one to the other is known to be nothing.
  static bool isNone(llvm::Value *begin, llvm::Value *end) { return begin == end; }

  llvm::Type *sumType;
  int64_t rows, width, sideBySide;
};

} // namespace drumlin::codegen
