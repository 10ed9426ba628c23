// reduce. Source: StableHLO specification, "reduce".
//
// The order of this oracle: result = body(...body(body(init, x0), x1)..., xn), with the elements in
// lexicographic order of their indices. Sums of floating-point numbers of at most 32 bits, and
// products of numbers of at most 16 bits, are accumulated in double and rounded once, unless
// KernelOptions::wideAccumulation is off.
#pragma once

#include "drumlin/interpreter/kernels/Allocation.h"
#include "drumlin/interpreter/kernels/Body.h"

namespace drumlin::interpreter {

Result<std::vector<Tensor>> reduce(std::span<const Tensor> inputs,
                                   std::span<const Tensor> initialValues,
                                   std::span<const int64_t> dimensions, const ReductionBody &body,
                                   const KernelOptions &options);

// Converts the inputs to the element types that the body computes in.
Result<std::vector<Tensor>> convertAll(std::span<const Tensor> tensors,
                                       std::span<const ElementType> types);

// Returns whether partial results of `type` under `operation` stay in double.
bool accumulatesWide(BinaryOperation operation, ElementType type, const KernelOptions &options);

} // namespace drumlin::interpreter
