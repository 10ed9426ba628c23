// Converts sort keys to unsigned numbers (ir/plan/heroes/SortProblem.h).
#pragma once

#include "drumlin/codegen/cpu/element/ElementEmitter.h"
#include "drumlin/ir/plan/heroes/SortProblem.h"
#include "drumlin/ir/stablehlo/SortOp.h"

namespace drumlin::codegen {

// Evaluates the key's program on the elements at an index of the sort's operands.
Lanes emitKeyProgram(ElementEmitter &e, stablehlo::SortOp sort, const SortKey &key,
                     const IndexTuple *at);

// Returns an unsigned key of keyBits(type) bits; the order of keys is the order of elements, or its
// reverse if `descending`. Unless the order is `total`, -0 equals +0, and NaNs are equal to each
// other and greater than all numbers.
llvm::Value *emitOrderedKey(ElementEmitter &e, llvm::Value *element, ElementType type, bool total,
                            bool descending);

} // namespace drumlin::codegen
