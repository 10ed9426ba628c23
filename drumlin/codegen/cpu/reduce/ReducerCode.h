// Code for the known reducers on values in compute form. Sums of narrow floats are not rounded
// here: that is done once, at their end.
#pragma once

#include "drumlin/codegen/cpu/element/ElementEmitter.h"
#include "drumlin/ir/plan/Reducers.h"

namespace drumlin::codegen {

llvm::Value *combineReduced(llvm::IRBuilder<> &builder, Reducer reducer, ElementType type,
                            llvm::Value *x, llvm::Value *y);

// The value that changes nothing when it is combined.
llvm::Value *reducerIdentity(ElementEmitter &emitter, Reducer reducer, ElementType type);

// Combines the lanes of a vector pairwise by halves: a fixed tree.
llvm::Value *combineReducedLanes(llvm::IRBuilder<> &builder, Reducer reducer, ElementType type,
                                 llvm::Value *vector);

// A sum of blocks of floating-point numbers in two parts: the second one collects what rounding
// leaves off the first (D. E. Knuth, The Art of Computer Programming, volume 2, section 4.2.2,
// theorem B), but nothing beside an infinity or a NaN. So only the terms inside of blocks leave
// errors that grow with their number.
struct SumOfBlocks {
  llvm::Value *sum, *left;
  llvm::Value *total(llvm::IRBuilder<> &builder) const;
};
SumOfBlocks addBlock(llvm::IRBuilder<> &builder, SumOfBlocks before, llvm::Value *block);

} // namespace drumlin::codegen
