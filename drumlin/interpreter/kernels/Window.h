// reduce_window and select_and_scatter. Source: StableHLO specification; the schedule is that of
// Reduce.h.
#pragma once

#include "drumlin/interpreter/kernels/Allocation.h"
#include "drumlin/interpreter/kernels/Body.h"

namespace drumlin::interpreter {

// Each list has an entry per dimension of the operand.
struct ReductionWindow {
  std::vector<int64_t> dimensions, strides;
  std::vector<int64_t> baseDilations, windowDilations;
  std::vector<int64_t> paddingLow, paddingHigh;
};

// Padding and the gaps of the base dilation hold the initial value and take part like elements.
// Windows that begin before all elements of the first dimension along which they have several take
// one step for each element, and have the results of Reduce.h, bit for bit; so do windows that end
// behind all elements, if the body is a known operation. Floating-point sums and products of the
// latter have another order: from the last element on.
Result<std::vector<Tensor>> reduceWindow(std::span<const Tensor> inputs,
                                         std::span<const Tensor> initialValues,
                                         const ReductionWindow &window, const ReductionBody &body,
                                         const KernelOptions &options);

// `window` has no dilations. Within a window the first element in lexicographic order is selected,
// then each later one for which select(selected, element) is false. Padding is never selected; a
// window of padding only scatters nothing. The scattered values are combined in the order of the
// source's indices and rounded to the body's type each time.
Result<Tensor> selectAndScatter(const Tensor &operand, const Tensor &source,
                                const Tensor &initialValue, const ReductionWindow &window,
                                const ComparisonBody &select, const ReductionBody &scatter,
                                const KernelOptions &options);

} // namespace drumlin::interpreter
