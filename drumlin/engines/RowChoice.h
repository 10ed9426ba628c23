// Chooses along which dimension the rows of each value run on a tensor engine, and which values are
// brought into another order too, so that all transposes together take the fewest FLOPs
// (docs/costs.md has the equations).
#pragma once

#include "drumlin/engines/RowGraph.h"
#include "drumlin/target/TensorEngine.h"

namespace drumlin {

struct ChosenRows {
  RowStride made = 1; // as the value is made or passed
  struct Copy {
    RowStride row;
    int64_t flops; // of one transpose
  };
  llvm::SmallVector<Copy, 1> copies; // each made once for all readers
};

// One for each value; static ones lie in every order that is asked for.
std::vector<ChosenRows> chooseRows(const RowGraph &graph, const TensorEngine &engine);

// FLOPs of a transpose of a product's operand, by what it multiplies: a row of the transpose for
// each row of the product.
int64_t operandTurnFlops(mlir::Operation *product, unsigned operand, const TensorEngine &engine);

} // namespace drumlin
