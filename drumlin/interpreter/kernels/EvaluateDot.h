// dot_general. Source: StableHLO specification, "dot_general".
//
// The specification leaves the order and the width of the sum open. This oracle's choices:
// - Products of floating-point numbers are summed in double, in the order of the contracting
//   indices, and rounded once to the result's type.
// - Integers are summed modulo 2^64 and wrapped to the result's type. For results of at most 32
//   bits this equals the sum in i32.
// - For i1, the product is `and` and the sum is `or`.
// - Operands of an 8-bit floating-point type other than the result's are first rounded to the
//   result's type (EvaluateProducts.h says why).
#pragma once

#include "drumlin/interpreter/kernels/Allocation.h"

#include <vector>

namespace drumlin::interpreter {

struct DotDimensions {
  std::vector<int64_t> lhsBatching, rhsBatching;
  std::vector<int64_t> lhsContracting, rhsContracting;
};

// Returns the dot. The result's dimensions are the batching dimensions, lhs's free dimensions and
// rhs's free dimensions, in this order.
Result<Tensor> dotGeneral(const Tensor &lhs, const Tensor &rhs, const DotDimensions &dimensions,
                          ElementType resultType, const KernelOptions &options);

} // namespace drumlin::interpreter
