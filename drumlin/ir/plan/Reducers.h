// Reducers: the bodies of reduce, reduce_window and scatter that are one known operation.
#pragma once

#include "mlir/IR/Region.h"

#include <optional>

namespace drumlin {

// Commutative and associative up to rounding: lanes and threads may permute terms.
enum class Reducer { Add, Multiply, Maximum, Minimum, And, Or, Xor };

// body(a, b) = a ∘ b or b ∘ a for one of the reducers; nothing for any other body.
std::optional<Reducer> knownReducer(mlir::Region &body);

// A reduce_window of one operand whose windows have all elements up to each position of one
// dimension (from the first on, or from the last back), and lie outside of it else.
struct PrefixWindows {
  int64_t dimension;
  bool fromLast;
};
std::optional<PrefixWindows> prefixWindows(mlir::Operation *op);

// Whether a reduce_window of a known reducer gives the same results whatever windows have of its
// initial value.
bool isNeutral(mlir::Operation *window);

// One of which each result is made of the one before and one element: a cumulative sum, say.
struct PrefixScan : PrefixWindows {
  // Nothing for another body, which combines elements from the first on.
  std::optional<Reducer> reducer;
};
std::optional<PrefixScan> prefixScan(mlir::Operation *op);

// On a reduce_window of any body, whose initial value combined with itself is itself.
inline constexpr llvm::StringLiteral prefixScanAttribute = "plan.prefix_scan";

} // namespace drumlin
