// What the processes of one group compute together. Source: StableHLO specification, all_gather to
// reduce_scatter. `operands` holds what each process brings, in the group's order; `index` is the
// place in that order of the process whose result is wanted.
#pragma once

#include "drumlin/interpreter/kernels/Allocation.h"
#include "drumlin/interpreter/kernels/Body.h"

#include <span>

namespace drumlin::interpreter {

Result<Tensor> allGather(std::span<const Tensor> operands, int64_t dimension,
                         const KernelOptions &options);

// body(...body(operands[0], operands[1])..., operands[n - 1]): the schedule of this oracle. Each
// step is rounded to the body's type.
Result<Tensor> allReduce(std::span<const Tensor> operands, const ReductionBody &body,
                         const KernelOptions &options);

// Part `index` of what allReduce gives, cut along the dimension into as many equal parts as there
// are processes.
Result<Tensor> reduceScatter(std::span<const Tensor> operands, size_t index, int64_t dimension,
                             const ReductionBody &body, const KernelOptions &options);

// Part `index` of each operand, cut along one dimension, joined along the other.
Result<Tensor> allToAll(std::span<const Tensor> operands, size_t index, int64_t splitDimension,
                        int64_t concatDimension, int64_t splitCount, const KernelOptions &options);

// What processes that nobody sends anything to are left with.
Result<Tensor> zeros(ElementType type, const Shape &shape, const KernelOptions &options);

} // namespace drumlin::interpreter
