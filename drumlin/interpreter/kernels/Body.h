// The functions that reductions, scatters, windows and sorts take as regions. A body that is one
// known operation is named, so that it runs without a call per element; any other is called with
// rank-0 tensors.
#pragma once

#include "drumlin/interpreter/kernels/Elementwise.h"

#include <functional>
#include <optional>
#include <span>
#include <vector>

namespace drumlin::interpreter {

// Rank-0 tensors in, rank-0 tensors out.
using ScalarFunction = std::function<Result<std::vector<Tensor>>(std::span<const Tensor>)>;

// (accumulators..., values...) -> accumulators...
struct ReductionBody {
  // The element types of the accumulators: those of the body's results.
  std::vector<ElementType> types;
  // Set where the body is this commutative operation of its two arguments and nothing else.
  std::optional<BinaryOperation> operation;
  // Set where the body returns its second argument, as a scatter that overwrites does.
  bool returnsValue = false;
  ScalarFunction call;
};

// (lhs 0, rhs 0, lhs 1, rhs 1, ...) -> i1
struct ComparisonBody {
  struct Simple {
    size_t operand = 0;   // whose lhs and rhs are compared
    bool swapped = false; // compares rhs with lhs
    ComparisonDirection direction = ComparisonDirection::LT;
    ComparisonType type = ComparisonType::Natural;
  };
  std::optional<Simple> simple;
  ScalarFunction call;
};

// Whether an operation may stand in ReductionBody::operation.
bool isReduction(BinaryOperation operation);

} // namespace drumlin::interpreter
