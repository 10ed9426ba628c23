// Sort keys: many comparators are `key(lhs) < key(rhs)` for one scalar program `key`. Such a sort
// computes each element's key once, as an unsigned number, instead of running the comparator on
// every pair that meets.
#pragma once

#include "drumlin/codegen/cpu/ElementEmitter.h"
#include "drumlin/ir/stablehlo/StablehloOps.h"

namespace drumlin::codegen {

struct SortKey {
  mlir::Value program; // the key in the comparator, as a function of one side's arguments
  ElementType type;    // its type
  bool total = false;  // floating-point keys in IEEE 754's total order; else -0 equals +0
  bool descending = false;
};

// The key of a comparator of that form; nothing for any other, and for programs too large to be
// worth it.
std::optional<SortKey> sortKeyOf(stablehlo::SortOp sort);

// How many bits a key of a type has: 8, 16, 32 or 64.
unsigned keyBits(ElementType type);

// The key's program on the elements at an index of the sort's operands.
Lanes emitKeyProgram(ElementEmitter &e, stablehlo::SortOp sort, const SortKey &key,
                     const IndexTuple *at);

// The unsigned number of keyBits(type) whose order is that of the elements. NaNs, which have no
// place in the natural order, come last there.
llvm::Value *emitOrderedKey(ElementEmitter &e, llvm::Value *element, ElementType type, bool total,
                            bool descending);

} // namespace drumlin::codegen
