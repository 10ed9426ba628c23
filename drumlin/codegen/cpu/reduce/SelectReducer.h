// Reducers that select one of two (value, position) pairs: argmax and argmin, written with
// comparisons and selections.
#pragma once

#include "drumlin/codegen/cpu/element/ElementEmitter.h"

namespace drumlin::codegen {

// Selects the pair with the larger (or smaller) value; if the values are equal, the pair with the
// lower position. NaN wins over every number.
struct SelectReducer {
  bool larger = false;
  ElementType value = ElementType::F32, position = ElementType::SI32;
};

// Recognizes the selection that a reducer's body makes by trying every way in which two pairs can
// compare. Returns nullopt if the body selects differently or returns a computed value. Of two
// NaNs, the body may select the one with the lower position or the first one. Which NaN is the
// first depends on the order of the reduction, which we may choose.
std::optional<SelectReducer> selectReducer(mlir::Region &body);

// Returns the winner of two pairs, per lane. The operation is associative, commutative and
// idempotent.
using SelectedPair = std::array<llvm::Value *, 2>;
SelectedPair combineSelected(llvm::IRBuilder<> &builder, const SelectReducer &reducer,
                             const SelectedPair &x, const SelectedPair &y);

// Returns the winning pair among the lanes.
SelectedPair combineSelectedLanes(llvm::IRBuilder<> &builder, const SelectReducer &reducer,
                                  SelectedPair pair);

} // namespace drumlin::codegen
