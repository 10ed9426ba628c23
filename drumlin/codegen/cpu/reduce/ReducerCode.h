// Code for the known reducers on values in compute form. Sums of narrow floats are not rounded
// here: they are rounded once, at the end of the reduction.
#pragma once

#include "drumlin/codegen/cpu/element/ElementEmitter.h"
#include "drumlin/ir/plan/Reducers.h"

namespace drumlin::codegen {

llvm::Value *combineReduced(llvm::IRBuilder<> &builder, Reducer reducer, ElementType type,
                            llvm::Value *x, llvm::Value *y);

// Returns the reducer's identity element.
llvm::Value *reducerIdentity(ElementEmitter &emitter, Reducer reducer, ElementType type);

// Combines the lanes of a vector pairwise by halves, in a fixed tree order.
llvm::Value *combineReducedLanes(llvm::IRBuilder<> &builder, Reducer reducer, ElementType type,
                                 llvm::Value *vector);

// A compensated sum of floating-point block sums. `left` collects the rounding errors of `sum` (D.
// E. Knuth, The Art of Computer Programming, volume 2, section 4.2.2, theorem B); once `sum` is
// infinite or NaN, `left` no longer changes. So only the additions inside a block have errors that
// grow with the number of additions.
struct SumOfBlocks {
  llvm::Value *sum, *left;
  llvm::Value *total(llvm::IRBuilder<> &builder) const;
};
SumOfBlocks addBlock(llvm::IRBuilder<> &builder, SumOfBlocks before, llvm::Value *block);

} // namespace drumlin::codegen
