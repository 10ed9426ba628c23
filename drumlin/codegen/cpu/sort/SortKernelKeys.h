// Sort keys as unsigned numbers (ir/plan/heroes/SortProblem.h).
#pragma once

#include "drumlin/codegen/cpu/element/ElementEmitter.h"
#include "drumlin/ir/plan/heroes/SortProblem.h"

namespace drumlin::codegen {

// The key's program on the elements at an index of the sort's operands.
Lanes emitKeyProgram(ElementEmitter &e, stablehlo::SortOp sort, const SortKey &key,
                     const IndexTuple *at);

// The unsigned number of keyBits(type) whose order is that of the elements. NaNs, which have no
// place in the natural order, come last there.
llvm::Value *emitOrderedKey(ElementEmitter &e, llvm::Value *element, ElementType type, bool total,
                            bool descending);

} // namespace drumlin::codegen
