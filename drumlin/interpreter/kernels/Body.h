// The functions that reductions, scatters, windows and sorts take as regions. A body that is one
// known operation is recorded as such, so that it runs without a call per element; any other body
// is called with rank-0 tensors.
#pragma once

#include "drumlin/interpreter/kernels/EvaluateElementwise.h"

#include <functional>
#include <optional>
#include <span>
#include <vector>

namespace drumlin::interpreter {

// Takes and returns rank-0 tensors.
using ScalarFunction = std::function<Result<std::vector<Tensor>>(std::span<const Tensor>)>;

// (accumulators..., values...) -> accumulators...
struct ReductionBody {
  // The element types of the accumulators: those of the body's results.
  std::vector<ElementType> types;
  // Set if the body is just this commutative operation of its two arguments.
  std::optional<BinaryOperation> operation;
  // Set if the body returns its second argument, as a scatter that overwrites does.
  bool returnsValue = false;
  ScalarFunction call;
};

// (lhs 0, rhs 0, lhs 1, rhs 1, ...) -> i1
struct ComparisonBody {
  struct Simple {
    size_t operand = 0;   // index of the operand whose lhs and rhs are compared
    bool swapped = false; // compares rhs with lhs instead
    ComparisonDirection direction = ComparisonDirection::LT;
    ComparisonType type = ComparisonType::Natural;
  };
  std::optional<Simple> simple;
  ScalarFunction call;
};

// Returns whether an operation may be used as ReductionBody::operation.
bool isReduction(BinaryOperation operation);

} // namespace drumlin::interpreter
