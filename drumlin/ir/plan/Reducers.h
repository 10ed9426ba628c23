// Reducers: bodies of reduce, reduce_window and scatter that consist of a single known operation.
#pragma once

#include "mlir/IR/Region.h"

#include <optional>

namespace drumlin {

// A commutative operation that is associative up to rounding, so that lanes and threads may combine
// the elements in any order.
enum class Reducer { Add, Multiply, Maximum, Minimum, And, Or, Xor };

// Returns the reducer of body(a, b) = a ∘ b or b ∘ a; nothing for any other body.
std::optional<Reducer> knownReducer(mlir::Region &body);

// A reduce_window of one operand that combines prefixes along one dimension. At each position along
// this dimension, the window covers all elements from the first one to this position, or, if
// `fromLast`, all elements from this position to the last one. The remainder of the window is
// outside of the operand.
struct PrefixWindows {
  int64_t dimension;
  bool fromLast;
};
std::optional<PrefixWindows> prefixWindows(mlir::Operation *op);

// Whether a reduce or reduce_window has one operand and a known reducer, and the same results no
// matter how often the initial value is combined with the elements.
bool isNeutral(mlir::Operation *op);

// A reduce_window in which each result combines the previous result and one element: a cumulative
// sum, for example.
struct PrefixScan : PrefixWindows {
  // Nothing if the body is not a known reducer. In this case, the body combines the elements in
  // order, from the first one on.
  std::optional<Reducer> reducer;
};
std::optional<PrefixScan> prefixScan(mlir::Operation *op);

// Marks a reduce_window, with any body, whose initial value stays the same when it is combined with
// itself.
inline constexpr llvm::StringLiteral prefixScanAttribute = "plan.prefix_scan";

} // namespace drumlin
