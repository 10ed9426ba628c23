// Reducers: bodies of reduce, reduce_window and scatter that are a single known operation.
#pragma once

#include "mlir/IR/Region.h"

#include <optional>

namespace drumlin {

// A commutative operation, associative up to rounding: lanes and threads may reorder the elements.
enum class Reducer { Add, Multiply, Maximum, Minimum, And, Or, Xor };

// Returns the reducer of body(a, b) = a ∘ b or b ∘ a; nothing for any other body.
std::optional<Reducer> knownReducer(mlir::Region &body);

// A reduce_window of one operand whose windows cover all elements up to each position of one
// dimension (from the first on, or from the last back), and are otherwise outside of the operand.
struct PrefixWindows {
  int64_t dimension;
  bool fromLast;
};
std::optional<PrefixWindows> prefixWindows(mlir::Operation *op);

// Whether a reduce_window of a known reducer has the same results however often windows include
// its initial value.
bool isNeutral(mlir::Operation *window);

// A reduce_window in which each result combines the previous result and one element: a cumulative
// sum, for example.
struct PrefixScan : PrefixWindows {
  // Nothing for any other body; the body then combines elements from the first on.
  std::optional<Reducer> reducer;
};
std::optional<PrefixScan> prefixScan(mlir::Operation *op);

// Marks a reduce_window of any body whose initial value combined with itself is itself.
inline constexpr llvm::StringLiteral prefixScanAttribute = "plan.prefix_scan";

} // namespace drumlin
