// dot_general. Source: StableHLO specification, "dot_general".
//
// Choices of this oracle where the specification leaves the order and width of the sum open:
// floating-point products are summed in double in the order of the contracted indices and rounded
// once to the result's type; integers are summed modulo 2^64 and wrapped to the result's type,
// which for results of at most 32 bits is the sum in i32; i1 is and/or.// Operands of one 8-bit
// floating-point type are first rounded to the result's where that is another one (Products.h says
// why).
#pragma once

#include "drumlin/interpreter/kernels/Allocation.h"

#include <vector>

namespace drumlin::interpreter {

struct DotDimensions {
  std::vector<int64_t> lhsBatching, rhsBatching;
  std::vector<int64_t> lhsContracting, rhsContracting;
};

// Result dimensions: batching, lhs's others, rhs's others.
Result<Tensor> dotGeneral(const Tensor &lhs, const Tensor &rhs, const DotDimensions &dimensions,
                          ElementType resultType, const KernelOptions &options);

} // namespace drumlin::interpreter
