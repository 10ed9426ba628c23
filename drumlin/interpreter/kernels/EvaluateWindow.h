// reduce_window and select_and_scatter. Source: StableHLO specification; elements are combined in
// the order of EvaluateReduce.h.
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
// Let d be the first dimension in which the windows have several elements. Two kinds of windows are
// computed with one step per element and give the results of EvaluateReduce.h, bit for bit:
// - windows that all begin at or before the first element of d;
// - windows that all end at or after the last element of d, if the body is a known operation.
//   Floating-point sums and products are then computed from the last element backwards.
Result<std::vector<Tensor>> reduceWindow(std::span<const Tensor> inputs,
                                         std::span<const Tensor> initialValues,
                                         const ReductionWindow &window, const ReductionBody &body,
                                         const KernelOptions &options);

// `window` has no dilations. Within a window, the first element in lexicographic order is selected.
// Each later element for which select(selected, element) is false then replaces the selected
// element. Padding is never selected, and a window that has only padding scatters nothing. The
// scattered values are combined in the order of the source's indices and rounded to the body's type
// each time.
Result<Tensor> selectAndScatter(const Tensor &operand, const Tensor &source,
                                const Tensor &initialValue, const ReductionWindow &window,
                                const ComparisonBody &select, const ReductionBody &scatter,
                                const KernelOptions &options);

} // namespace drumlin::interpreter
