// The general sort: a merge sort of an array of positions, with any comparator.
#pragma once

#include "drumlin/codegen/cpu/KernelEmitter.h"
#include "drumlin/ir/stablehlo/SortOp.h"

namespace drumlin::codegen {

// One row of a sort: its elements are at first + i * stride in the row-major order of the operands.
struct SortRow {
  llvm::Value *first; // i64
  SizeExpression stride;
  SizeExpression count;
};

class MergeSort {
public:
  MergeSort(KernelFrame &frame, stablehlo::SortOp sort, const SizeExpression &count);

  SizeExpression bufferBytes() const; // bytes of one array of positions
  // Emits the sort of a row. The sort is stable if the comparator is a strict weak order; with
  // other comparators, the result is some permutation. Returns the buffer, `a` or `b`, that holds
  // the sorted positions.
  llvm::Value *emit(const SortRow &row, llvm::Value *a, llvm::Value *b);
  llvm::Value *emitLoadPosition(llvm::Value *positions, llvm::Value *index); // as i64

private:
  void emitRuns(const SortRow &row, llvm::Value *positions);
  void emitMerge(const SortRow &row, llvm::Value *from, llvm::Value *to, llvm::Value *first,
                 llvm::Value *middle, llvm::Value *last);
  // Emits whether the element at position x must precede the element at position y.
  llvm::Value *emitLess(const SortRow &row, llvm::Value *x, llvm::Value *y);
  llvm::Value *address(llvm::Value *positions, llvm::Value *index);
  void storePosition(llvm::Value *positions, llvm::Value *index, llvm::Value *position);

  KernelFrame &frame;
  stablehlo::SortOp sort;
  SizeExpression count;
  llvm::IntegerType *position;
};

} // namespace drumlin::codegen
