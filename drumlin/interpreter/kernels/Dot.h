// dot_general. Source: StableHLO specification, "dot_general".
//
// Choices of this oracle, as the specification leaves the order and width of the sum open: products
// of floating-point numbers are summed in double in the order of the contracting indices and
// rounded once to the result's type; integers are summed modulo 2^64 and wrapped to the result's
// type, which equals the sum in i32 for results of at most 32 bits; i1 is and/or. Operands of an
// 8-bit floating-point type other than the result's are first rounded to the result's type
// (Products.h says why).
#pragma once

#include "drumlin/interpreter/kernels/Allocation.h"

#include <vector>

namespace drumlin::interpreter {

struct DotDimensions {
  std::vector<int64_t> lhsBatching, rhsBatching;
  std::vector<int64_t> lhsContracting, rhsContracting;
};

// Returns the dot with the dimensions: batching, lhs's free ones, rhs's free ones.
Result<Tensor> dotGeneral(const Tensor &lhs, const Tensor &rhs, const DotDimensions &dimensions,
                          ElementType resultType, const KernelOptions &options);

} // namespace drumlin::interpreter
