// Reducers of pairs that select one of them whole: argmax and argmin, as they are written with
// comparisons and selections.
#pragma once

#include "drumlin/codegen/cpu/element/ElementEmitter.h"

namespace drumlin::codegen {

// (value, position): the larger (or smaller) value wins; the lower position where values are equal;
// NaN wins over every number.
struct SelectReducer {
  bool larger = false;
  ElementType value = ElementType::F32, position = ElementType::SI32;
};

// What a reducer's body selects, found by going through every way in which two pairs can compare.
// Nothing for bodies that select otherwise, or that compute anything. Among NaNs a body may take
// the first one it meets: which one that is depends on the order, which is ours.
std::optional<SelectReducer> selectReducer(mlir::Region &body);

// The winner of two pairs, by lanes. It is associative, commutative, and a pair against itself
// changes nothing.
using SelectedPair = std::array<llvm::Value *, 2>;
SelectedPair combineSelected(llvm::IRBuilder<> &builder, const SelectReducer &reducer,
                             const SelectedPair &x, const SelectedPair &y);

// The winner among the lanes.
SelectedPair combineSelectedLanes(llvm::IRBuilder<> &builder, const SelectReducer &reducer,
                                  SelectedPair pair);

} // namespace drumlin::codegen
