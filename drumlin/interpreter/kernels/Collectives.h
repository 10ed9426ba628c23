// Computations among the processes of one group. Source: StableHLO specification, all_gather to
// reduce_scatter. `operands` holds one operand per process, in the group's order; `index` is the
// position in that order of the process whose result is computed.
#pragma once

#include "drumlin/interpreter/kernels/Allocation.h"
#include "drumlin/interpreter/kernels/Body.h"

#include <span>

namespace drumlin::interpreter {

Result<Tensor> allGather(std::span<const Tensor> operands, int64_t dimension,
                         const KernelOptions &options);

// Computes body(...body(operands[0], operands[1])..., operands[n - 1]) in this order. Each step is
// rounded to the body's type.
Result<Tensor> allReduce(std::span<const Tensor> operands, const ReductionBody &body,
                         const KernelOptions &options);

// Splits the result of allReduce along the dimension into one equal part per process, and returns
// part `index`.
Result<Tensor> reduceScatter(std::span<const Tensor> operands, size_t index, int64_t dimension,
                             const ReductionBody &body, const KernelOptions &options);

// Splits each operand into `splitCount` equal parts along one dimension, and concatenates part
// `index` of every operand along the other dimension.
Result<Tensor> allToAll(std::span<const Tensor> operands, size_t index, int64_t splitDimension,
                        int64_t concatDimension, int64_t splitCount, const KernelOptions &options);

// Returns zeros: the result of a process that receives nothing.
Result<Tensor> zeros(ElementType type, const Shape &shape, const KernelOptions &options);

} // namespace drumlin::interpreter
