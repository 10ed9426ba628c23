// sort and CHLO's top_k.
#pragma once

#include "drumlin/interpreter/kernels/Allocation.h"
#include "drumlin/interpreter/kernels/Body.h"

namespace drumlin::interpreter {

// Sorts the 1-dimensional slices along `dimension` together. Always stable, so that every program
// has one result. A comparator that is no strict weak order leaves some permutation of each slice.
Result<std::vector<Tensor>> sort(std::span<const Tensor> inputs, int64_t dimension,
                                 const ComparisonBody &comparator, const KernelOptions &options);

// Returns the k largest elements along the last dimension, descending, and their positions as i32.
// Equal elements are in the order of their positions; floating-point numbers are in IEEE 754's
// total order, NaN first.
Result<std::vector<Tensor>> topK(const Tensor &operand, int64_t k, const KernelOptions &options);

} // namespace drumlin::interpreter
