// Reducers: the bodies of reduce, reduce_window and scatter that are one known operation.
#pragma once

#include "mlir/IR/Region.h"

#include <optional>

namespace drumlin {

// Commutative and associative up to rounding: lanes and threads may permute terms.
enum class Reducer { Add, Multiply, Maximum, Minimum, And, Or, Xor };

// body(a, b) = a ∘ b or b ∘ a for one of the reducers; nothing for any other body.
std::optional<Reducer> knownReducer(mlir::Region &body);

// A reduce_window that gives, at each position of one dimension, the combination of all elements up
// to it (from the first on, or from the last back): a cumulative sum, say.
struct PrefixScan {
  int64_t dimension;
  bool fromLast;
  Reducer reducer;
};
std::optional<PrefixScan> prefixScan(mlir::Operation *op);

} // namespace drumlin
