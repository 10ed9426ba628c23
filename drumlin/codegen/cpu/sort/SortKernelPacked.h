// Sorts packed elements: words with an ordered key in the upper half and the element's position in
// the lower half. All words of a row differ, and words with equal keys are ordered by position, so
// every correct sort of the words is stable.
#pragma once

#include "drumlin/codegen/cpu/KernelEmitter.h"
#include "drumlin/ir/plan/heroes/SortProblem.h"

namespace drumlin::codegen {

class PackedSort {
public:
  // Sorts rows of at most `maxCount` words, with keys of `keyBits` bits.
  PackedSort(KernelFrame &frame, unsigned keyBits, const SizeExpression &maxCount);

  llvm::IntegerType *wordType() const { return word; } // i64 or i128
  int64_t wordBytes() const { return word->getBitWidth() / 8; }
  llvm::IntegerType *positionType() const { return position; } // half as wide as a word
  // Returns the bytes of a buffer of maxCount words. The buffer is padded, so that full registers
  // can be stored.
  SizeExpression bufferBytes() const;
  int64_t countBytes() const; // bytes of the memory for digit counts

  // Emits a call of the sort function, which is emitted once per kernel. The function sorts `count`
  // words in `data`. `other` has the size of `data`, and `counts` has countBytes(). Returns the
  // buffer, `data` or `other`, that holds the sorted words.
  llvm::Value *emitCall(llvm::Value *data, llvm::Value *other, llvm::Value *counts,
                        llvm::Value *count);

  // Stores the k smallest of the `maxCount` 64-bit words in `data` to `other`, in order. Overwrites
  // all bufferBytes() of `data`.
  void emitMinima(llvm::Value *data, llvm::Value *other, int64_t k);

  // Stores a register of words at words + index; the keys are unsigned numbers of keyBits bits.
  void emitStoreWords(llvm::Value *words, llvm::Value *index, llvm::Value *keys,
                      llvm::Value *positions);
  llvm::Value *emitLoadPosition(llvm::Value *words, llvm::Value *index); // as i64
  llvm::Value *emitLoadKey(llvm::Value *words, llvm::Value *index);      // a key of keyBits bits
  llvm::Value *emitWordAddress(llvm::Value *words, llvm::Value *index);

private:
  void emitFunction();
  void emitRadixSort(ElementEmitter &e, llvm::Value *data, llvm::Value *other, llvm::Value *counts,
                     llvm::Value *count);
  void emitInsertionSort(ElementEmitter &e, llvm::Value *data, llvm::Value *count);
  llvm::Value *emitDigit(llvm::IRBuilder<> &b, llvm::Value *wordValue, unsigned pass);
  int64_t buckets() const { return int64_t(1) << digitBits; }
  unsigned passes() const { return (keyWidth + digitBits - 1) / digitBits; }

  KernelFrame &frame;
  unsigned keyWidth;
  unsigned digitBits;
  SizeExpression maxCount;
  llvm::IntegerType *word;
  llvm::IntegerType *position;
  llvm::IntegerType *counter;
  llvm::Function *function = nullptr;
};

} // namespace drumlin::codegen
