// Operations that move elements without looking at them. Source: StableHLO specification. Shapes,
// dimensions and strides are expected to be consistent, as the verifier leaves them.
#pragma once

#include "drumlin/interpreter/kernels/Allocation.h"

#include <span>

namespace drumlin::interpreter {

// result[i] = operand[i[dimensions...]], with 0 where the operand's dimension is one.
Result<Tensor> broadcastInDim(const Tensor &operand, std::span<const int64_t> dimensions,
                              const Shape &shape, const KernelOptions &options);

Result<Tensor> concatenate(std::span<const Tensor> operands, int64_t dimension,
                           const KernelOptions &options);

// result[i] = i[dimension], wrapped or rounded to the element type.
Result<Tensor> iota(ElementType type, const Shape &shape, int64_t dimension,
                    const KernelOptions &options);

// Paddings may be negative and then drop elements; `interior` goes between neighbours.
Result<Tensor> pad(const Tensor &operand, const Tensor &value, std::span<const int64_t> low,
                   std::span<const int64_t> high, std::span<const int64_t> interior,
                   const KernelOptions &options);

// The elements share their memory with the operand's.
Result<Tensor> reshape(const Tensor &operand, const Shape &shape);

Result<Tensor> reverse(const Tensor &operand, std::span<const int64_t> dimensions,
                       const KernelOptions &options);

Result<Tensor> slice(const Tensor &operand, std::span<const int64_t> start,
                     std::span<const int64_t> limit, std::span<const int64_t> strides,
                     const KernelOptions &options);

// result dimension d is the operand's dimension permutation[d].
Result<Tensor> transpose(const Tensor &operand, std::span<const int64_t> permutation,
                         const KernelOptions &options);

// Start indices are rank-0 integers, clamped so that the slice lies inside of the operand.
Result<Tensor> dynamicSlice(const Tensor &operand, std::span<const Tensor> start,
                            std::span<const int64_t> sizes, const KernelOptions &options);
Result<Tensor> dynamicUpdateSlice(const Tensor &operand, const Tensor &update,
                                  std::span<const Tensor> start, const KernelOptions &options);

// An integer element as int64_t; unsigned numbers beyond its range become its largest value.
int64_t integerAt(const Tensor &tensor, int64_t position);

// A rank-0 tensor with the element at `position`, and the way back.
Tensor scalarAt(const Tensor &tensor, int64_t position);
void setElement(Tensor &tensor, int64_t position, const Tensor &scalar);

// A tensor of equal elements.
Result<Tensor> splat(const Tensor &scalar, const Shape &shape, const KernelOptions &options);

} // namespace drumlin::interpreter
