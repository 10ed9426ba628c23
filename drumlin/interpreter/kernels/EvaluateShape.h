// Operations that move elements unchanged. Source: StableHLO specification. Shapes, dimensions and
// strides must be consistent, as the verifier ensures.
#pragma once

#include "drumlin/interpreter/kernels/Allocation.h"

#include <span>

namespace drumlin::interpreter {

// Computes result[i] = operand[i[dimensions...]], with index 0 where the operand's size is one.
Result<Tensor> broadcastInDim(const Tensor &operand, std::span<const int64_t> dimensions,
                              const Shape &shape, const KernelOptions &options);

Result<Tensor> concatenate(std::span<const Tensor> operands, int64_t dimension,
                           const KernelOptions &options);

// Computes result[i] = i[dimension], wrapped or rounded to the element type.
Result<Tensor> iota(ElementType type, const Shape &shape, int64_t dimension,
                    const KernelOptions &options);

// Negative paddings drop elements; `interior` padding goes between neighbouring elements.
Result<Tensor> pad(const Tensor &operand, const Tensor &value, std::span<const int64_t> low,
                   std::span<const int64_t> high, std::span<const int64_t> interior,
                   const KernelOptions &options);

// The result shares its memory with the operand.
Result<Tensor> reshape(const Tensor &operand, const Shape &shape);

Result<Tensor> reverse(const Tensor &operand, std::span<const int64_t> dimensions,
                       const KernelOptions &options);

Result<Tensor> slice(const Tensor &operand, std::span<const int64_t> start,
                     std::span<const int64_t> limit, std::span<const int64_t> strides,
                     const KernelOptions &options);

// The result's dimension d is the operand's dimension permutation[d].
Result<Tensor> transpose(const Tensor &operand, std::span<const int64_t> permutation,
                         const KernelOptions &options);

// Start indices are rank-0 integers, clamped so that the slice is inside of the operand.
Result<Tensor> dynamicSlice(const Tensor &operand, std::span<const Tensor> start,
                            std::span<const int64_t> sizes, const KernelOptions &options);
Result<Tensor> dynamicUpdateSlice(const Tensor &operand, const Tensor &update,
                                  std::span<const Tensor> start, const KernelOptions &options);

// Returns an integer element as int64_t; unsigned numbers beyond the range of int64_t become its
// maximum.
int64_t integerAt(const Tensor &tensor, int64_t position);

// Return the element at `position` as a rank-0 tensor, and set the element from a rank-0 tensor.
Tensor scalarAt(const Tensor &tensor, int64_t position);
void setElement(Tensor &tensor, int64_t position, const Tensor &scalar);

// Returns a tensor of equal elements.
Result<Tensor> splat(const Tensor &scalar, const Shape &shape, const KernelOptions &options);

} // namespace drumlin::interpreter
