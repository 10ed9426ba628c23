// Chooses the dimension along which each value's rows run on a tensor engine, and which values also
// get transposed copies, minimizing the FLOPs of all transposes (docs/costs.md has the equations).
#pragma once

#include "drumlin/engines/RowGraph.h"
#include "drumlin/target/TensorEngine.h"

namespace drumlin {

struct ChosenRows {
  RowStride made = 1; // the value's rows when it is computed or passed
  struct Copy {
    RowStride row;
    int64_t flops; // FLOPs of the transpose
  };
  llvm::SmallVector<Copy, 1> copies; // each copy is computed once for all readers
};

// Returns one choice per value. The choice for a static value is meaningless: static values exist
// in every order that readers need.
std::vector<ChosenRows> chooseRows(const RowGraph &graph, const TensorEngine &engine);

// Returns the FLOPs of transposing an operand of a dot or convolution. The operand is a matrix per
// batch element, with one row for each index of m (or n) and one column for each index of k.
int64_t operandTurnFlops(mlir::Operation *product, unsigned operand, const TensorEngine &engine);

} // namespace drumlin
