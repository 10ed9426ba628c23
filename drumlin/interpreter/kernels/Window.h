// reduce_window and select_and_scatter. Source: StableHLO specification; elements are combined in
// the order of Reduce.h.
#pragma once

#include "drumlin/interpreter/kernels/Allocation.h"
#include "drumlin/interpreter/kernels/Body.h"

namespace drumlin::interpreter {

// Each list has one entry per dimension of the operand.
struct ReductionWindow {
  std::vector<int64_t> dimensions, strides;
  std::vector<int64_t> baseDilations, windowDilations;
  std::vector<int64_t> paddingLow, paddingHigh;
};

// Padding and the gaps of the base dilation hold the initial value and are combined like elements.
// If the windows all begin before the first element of the first dimension in which they have
// several elements, they take one step per element and give the results of Reduce.h, bit for bit;
// so do windows that all end behind the last element, if the body is a known operation. For the
// latter, floating-point sums and products are computed from the last element backwards.
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
