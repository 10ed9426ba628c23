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

} // namespace drumlin::codegen
