// Converts sort keys to unsigned numbers (ir/plan/heroes/SortProblem.h).
#pragma once

#include "drumlin/codegen/cpu/element/ElementEmitter.h"
#include "drumlin/ir/plan/heroes/SortProblem.h"

namespace drumlin::codegen {

// Evaluates the key's program on the elements at an index of the sort's operands.
Lanes emitKeyProgram(ElementEmitter &e, stablehlo::SortOp sort, const SortKey &key,
                     const IndexTuple *at);

// Returns an unsigned number of keyBits(type) bits that orders like the elements. NaNs, which have
// no place in the natural order, come last.
llvm::Value *emitOrderedKey(ElementEmitter &e, llvm::Value *element, ElementType type, bool total,
                            bool descending);

} // namespace drumlin::codegen
