#include "drumlin/interpreter/kernels/EvaluateWindow.h"
#include "drumlin/interpreter/kernels/Accumulate.h"
#include "drumlin/interpreter/kernels/BinaryFunctions.h"
#include "drumlin/interpreter/kernels/Compare.h"
#include "drumlin/interpreter/kernels/EvaluateReduce.h"
#include "drumlin/interpreter/kernels/EvaluateShape.h"
#include "drumlin/interpreter/kernels/Index.h"

#include <array>
#include <bit>

namespace drumlin::interpreter {

// Returns the offsets of a window's elements from its start. They are the same for all windows,
// since the input is padded and dilated beforehand.
static std::vector<int64_t> windowOffsets(const ReductionWindow &window,
                                          const Shape &paddedStrides) {
  std::vector<int64_t> offsets;
  Shape steps(paddedStrides);
  for (size_t d = 0; d < steps.size(); ++d) {
    steps[d] *= window.windowDilations[d];
  }
  for (StridedTraversal traversal(window.dimensions, {steps}); !traversal.done();
       traversal.next()) {
    offsets.push_back(traversal.position(0));
  }
  return offsets;
}

static Shape windowCounts(const ReductionWindow &window, const Shape &padded) {
  Shape shape(padded.size());
  for (size_t d = 0; d < padded.size(); ++d) {
    int64_t extent = (window.dimensions[d] - 1) * window.windowDilations[d] + 1;
    shape[d] =
        padded[d] == 0 || extent > padded[d] ? 0 : (padded[d] - extent) / window.strides[d] + 1;
  }
  return shape;
}

static Result<Tensor> padded(const Tensor &input, const Tensor &initial,
                             const ReductionWindow &window, const KernelOptions &options) {
  std::vector<int64_t> interior(window.baseDilations);
  for (int64_t &gap : interior) {
    --gap;
  }
  return pad(input, initial, window.paddingLow, window.paddingHigh, interior, options);
}

namespace {
// The positions of the windows of a reduce_window in the padded inputs.
struct WindowPlaces {
  Shape results;                // a result per window
  Shape resultStrides;          // element strides of the results
  Shape starts;                 // distances between the first elements of neighbouring windows
  std::vector<int64_t> offsets; // a window's offsets from its first element, in lexicographic order
};

// Cumulative windows along one dimension: either each window contains the elements of the previous
// window, or each contains the elements of the next window. A window's result can then continue its
// neighbour's result. A row consists of the elements at one index of this dimension.
struct CumulativeWindows {
  size_t dimension = 0;
  bool fromLast = false;
  int64_t firstRow = 0, endRow = 0; // rows of the padded input; all rows outside are padding
  int64_t rowStride = 0;
  std::vector<int64_t> offsets; // offsets of a window's elements within one row
};
} // namespace

// Finds cumulative windows along the first dimension in which windows have several elements: either
// all begin at or before the first input element, or all end at or after the last one. The elements
// of later dimensions have the same order in each row.
static std::optional<CumulativeWindows> findCumulativeWindows(const ReductionWindow &window,
                                                              const Shape &padded,
                                                              const Shape &strides,
                                                              const Shape &counts) {
  auto several = std::find_if(window.dimensions.begin(), window.dimensions.end(),
                              [](int64_t size) { return size > 1; });
  if (several == window.dimensions.end()) {
    return std::nullopt;
  }
  CumulativeWindows found;
  size_t d = found.dimension = static_cast<size_t>(several - window.dimensions.begin());
  int64_t low = window.paddingLow[d], high = window.paddingHigh[d], size = window.dimensions[d];
  bool beginBefore = low >= 0 && (counts[d] - 1) * window.strides[d] <= low;
  bool endBehind = high >= 0 && size >= padded[d] - high;
  if (window.windowDilations[d] != 1 || (!beginBefore && !endBehind)) {
    return std::nullopt;
  }
  found.fromLast = !beginBefore;
  found.firstRow = beginBefore ? low : 0;
  found.endRow = beginBefore ? padded[d] : padded[d] - high;
  found.rowStride = strides[d];
  ReductionWindow ofRow = window;
  ofRow.dimensions[d] = 1;
  found.offsets = windowOffsets(ofRow, strides);
  return found;
}

// Traverses all windows: reset() begins a result, combine(position) adds an element of the padded
// inputs to it, and store(position) writes it. Returns false as soon as combine() does.
template <typename Reset, typename Combine, typename Store>
static bool visitEach(const WindowPlaces &places, const Reset &reset, const Combine &combine,
                      const Store &store) {
  int64_t result = 0;
  for (StridedTraversal traversal(places.results, {places.starts}); !traversal.done();
       traversal.next()) {
    reset();
    for (int64_t offset : places.offsets) {
      if (!combine(traversal.position(0) + offset)) {
        return false;
      }
    }
    store(result++);
  }
  return true;
}

// Traverses cumulative windows like visitEach(), but each result continues its neighbour's result:
// only the rows that the neighbour's window lacks are combined.
template <typename Reset, typename Combine, typename Store>
static bool visitCumulative(const ReductionWindow &window, const WindowPlaces &places,
                            const CumulativeWindows &windows, const Reset &reset,
                            const Combine &combine, const Store &store) {
  size_t d = windows.dimension;
  int64_t count = places.results[d], stride = window.strides[d], size = window.dimensions[d];
  Shape lines = places.results;
  lines[d] = 1;
  for (StridedTraversal traversal(lines, {places.starts, places.resultStrides}); !traversal.done();
       traversal.next()) {
    auto combineRow = [&](int64_t row) {
      return std::all_of(windows.offsets.begin(), windows.offsets.end(), [&](int64_t offset) {
        return combine(traversal.position(0) + row * windows.rowStride + offset);
      });
    };
    reset();
    int64_t row = windows.fromLast ? windows.endRow : windows.firstRow;
    for (int64_t i = 0; i < count; ++i) {
      int64_t place = windows.fromLast ? count - 1 - i : i, begin = place * stride;
      while (windows.fromLast ? row > begin : row < begin + size) {
        if (!combineRow(windows.fromLast ? --row : row++)) {
          return false;
        }
      }
      store(traversal.position(1) + place * places.resultStrides[d]);
    }
  }
  return true;
}

template <typename Reset, typename Combine, typename Store>
static bool visitWindows(const ReductionWindow &window, const WindowPlaces &places,
                         const CumulativeWindows *cumulative, const Reset &reset,
                         const Combine &combine, const Store &store) {
  return cumulative ? visitCumulative(window, places, *cumulative, reset, combine, store)
                    : visitEach(places, reset, combine, store);
}

template <typename C, typename Function>
static void reduceWindows(const Tensor &input, const Tensor &initial, Tensor &result,
                          const ReductionWindow &window, const WindowPlaces &places,
                          const CumulativeWindows *cumulative, bool wide,
                          const Function &function) {
  ElementType type = input.type();
  std::unique_ptr<C[]> values = decodeAll<C>(input);
  C start;
  loadRun<C>(type, initial.data(), &start, 1);
  bool exact = wide || type == ElementType::F64 || type == ElementType::C128;
  auto combined = [&](const C &a, const C &b) {
    return exact ? function(a, b) : roundValue(type, function(a, b));
  };
  C twice = combined(start, start), sum = start;
  auto bits = [](const C &value) { return std::bit_cast<std::array<std::byte, sizeof(C)>>(value); };
  bool paddingAddsNothing = bits(twice) == bits(start);
  auto reset = [&] { sum = start; };
  auto combine = [&](int64_t position) {
    sum = combined(sum, values[static_cast<size_t>(position)]);
    return true;
  };
  auto store = [&](int64_t position) {
    storeRun<C>(type, &sum, result.data() + position * storageBytes(type), 1);
  };
  visitWindows(window, places, paddingAddsNothing ? cumulative : nullptr, reset, combine, store);
}

static Status reduceSimple(const Tensor &input, const Tensor &initial, Tensor &result,
                           const ReductionWindow &window, const WindowPlaces &places,
                           const CumulativeWindows *cumulative, BinaryOperation operation,
                           const KernelOptions &options) {
  if (Status fits = checkWorkspace(input.elements(), sizeof(std::complex<double>), options);
      !fits) {
    return fits;
  }
  bool wide = accumulatesWide(operation, input.type(), options);
  return withBinaryFunction(operation, input.type(), [&](const auto &function) {
    return withValueType(input.type(), [&]<typename C>() -> Status {
      if constexpr (BinaryFunctionOf<std::remove_cvref_t<decltype(function)>, C>) {
        if constexpr (std::is_same_v<std::invoke_result_t<decltype(function), C, C>, C>) {
          reduceWindows<C>(input, initial, result, window, places, cumulative, wide, function);
          return Done{};
        }
      }
      return unsupportedElementType(mnemonic(operation), input.type());
    });
  });
}

static bool equalBytes(std::span<const Tensor> left, std::span<const Tensor> right) {
  return std::equal(left.begin(), left.end(), right.begin(), right.end(),
                    [](const Tensor &a, const Tensor &b) {
                      return std::memcmp(a.data(), b.data(), static_cast<size_t>(a.bytes())) == 0;
                    });
}

static Status reduceByCalls(std::span<const Tensor> inputs, std::span<const Tensor> initial,
                            std::vector<Tensor> &results, const ReductionWindow &window,
                            const WindowPlaces &places, const CumulativeWindows *cumulative,
                            const ReductionBody &body) {
  std::vector<Tensor> sums;
  std::optional<Diagnostic> failure;
  auto reset = [&] { sums.assign(initial.begin(), initial.end()); };
  auto add = [&](std::vector<Tensor> values) {
    std::vector<Tensor> arguments = sums;
    std::move(values.begin(), values.end(), std::back_inserter(arguments));
    Result<std::vector<Tensor>> combined = body.call(arguments);
    if (!combined) {
      failure = combined.error();
      return false;
    }
    sums = std::move(*combined);
    return true;
  };
  auto combine = [&](int64_t position) {
    std::vector<Tensor> values;
    for (const Tensor &input : inputs) {
      values.push_back(scalarAt(input, position));
    }
    return add(std::move(values));
  };
  auto store = [&](int64_t position) {
    for (size_t k = 0; k < results.size(); ++k) {
      setElement(results[k], position, sums[k]);
    }
  };
  // The result of an unknown body may depend on the order of the elements, so the elements can't be
  // combined from the last to the first.
  bool isCumulative = cumulative && !cumulative->fromLast;
  if (isCumulative) {
    reset();
    if (!add({initial.begin(), initial.end()})) {
      return *failure;
    }
    isCumulative = equalBytes(sums, initial);
  }
  visitWindows(window, places, isCumulative ? cumulative : nullptr, reset, combine, store);
  return failure ? Status(*failure) : Status(Done{});
}

Result<std::vector<Tensor>> reduceWindow(std::span<const Tensor> inputs,
                                         std::span<const Tensor> initialValues,
                                         const ReductionWindow &window, const ReductionBody &body,
                                         const KernelOptions &options) {
  Result<std::vector<Tensor>> values = convertAll(inputs, body.types);
  Result<std::vector<Tensor>> initial = convertAll(initialValues, body.types);
  if (!values || !initial) {
    return !values ? values : initial;
  }
  for (size_t k = 0; k < values->size(); ++k) {
    Result<Tensor> tensor = padded((*values)[k], (*initial)[k], window, options);
    if (!tensor) {
      return tensor.error();
    }
    (*values)[k] = std::move(*tensor);
  }
  Shape strides = rowMajorStrides(values->front().shape());
  Shape shape = windowCounts(window, values->front().shape());
  std::vector<Tensor> results;
  for (const Tensor &value : *initial) {
    Result<Tensor> result = allocate(value.type(), shape, options);
    if (!result) {
      return result.error();
    }
    results.push_back(std::move(*result));
  }
  if (results.front().elements() == 0) {
    return results;
  }
  if (Status fits = checkWorkspace(elementCount(window.dimensions).value_or(options.maxBytes),
                                   sizeof(int64_t), options);
      !fits) {
    return fits.error();
  }
  std::optional<CumulativeWindows> found =
      findCumulativeWindows(window, values->front().shape(), strides, shape);
  const CumulativeWindows *cumulative = found ? &*found : nullptr;
  WindowPlaces places{shape, rowMajorStrides(shape), strides, windowOffsets(window, strides)};
  for (size_t d = 0; d < strides.size(); ++d) {
    places.starts[d] *= window.strides[d];
  }
  Status status = inputs.size() == 1 && body.operation
                      ? reduceSimple(values->front(), initial->front(), results.front(), window,
                                     places, cumulative, *body.operation, options)
                      : reduceByCalls(*values, *initial, results, window, places, cumulative, body);
  return status ? Result<std::vector<Tensor>>(std::move(results)) : status.error();
}

// Returns whether select(selected, element) holds, so that the selected element stays.
static Result<bool> keeps(const ComparisonBody &select, const Tensor &operand, int64_t selected,
                          int64_t element) {
  if (select.simple && select.simple->type == ComparisonType::Natural) {
    int64_t a = select.simple->swapped ? element : selected;
    int64_t b = select.simple->swapped ? selected : element;
    int64_t size = storageBytes(operand.type());
    return withValueType(operand.type(), [&]<typename C>() -> Result<bool> {
      C left, right;
      loadRun<C>(operand.type(), operand.data() + a * size, &left, 1);
      loadRun<C>(operand.type(), operand.data() + b * size, &right, 1);
      return holds(select.simple->direction, left, right);
    });
  }
  std::vector<Tensor> arguments{scalarAt(operand, selected), scalarAt(operand, element)};
  Result<std::vector<Tensor>> result = select.call(arguments);
  if (!result) {
    return result.error();
  }
  return *result->front().data() != std::byte{0};
}

Result<Tensor> selectAndScatter(const Tensor &operand, const Tensor &source,
                                const Tensor &initialValue, const ReductionWindow &window,
                                const ComparisonBody &select, const ReductionBody &scatter,
                                const KernelOptions &options) {
  ElementType type = scatter.types.front();
  Result<Tensor> initial = convert(initialValue, type);
  Result<Tensor> values = convert(source, type);
  if (!initial || !values) {
    return !initial ? initial : values;
  }
  Result<Tensor> result = splat(*initial, operand.shape(), options);
  if (!result) {
    return result;
  }
  std::optional<ElementAccumulator> accumulate = ElementAccumulator::make(scatter, type);
  Shape strides = rowMajorStrides(operand.shape());
  size_t rank = strides.size();
  int64_t size = storageBytes(type);
  int64_t sourcePosition = 0;
  std::optional<Diagnostic> failure;
  Index place(rank);
  forEachIndex(source.shape(), [&](const Index &sourceIndex) {
    int64_t selected = -1;
    forEachIndex(window.dimensions, [&](const Index &element) {
      for (size_t d = 0; d < rank; ++d) {
        place[d] = sourceIndex[d] * window.strides[d] + element[d] - window.paddingLow[d];
      }
      if (failure || !inBounds(place, operand.shape())) {
        return;
      }
      int64_t position = linearIndex(place, strides);
      if (selected < 0) {
        selected = position;
        return;
      }
      Result<bool> kept = keeps(select, operand, selected, position);
      if (!kept) {
        failure = kept.error();
      } else if (!*kept) {
        selected = position;
      }
    });
    int64_t from = sourcePosition++;
    if (failure || selected < 0) {
      return;
    }
    if (accumulate) {
      (*accumulate)(result->data() + selected * size, values->data() + from * size);
      return;
    }
    std::vector<Tensor> arguments{scalarAt(*result, selected), scalarAt(*values, from)};
    Result<std::vector<Tensor>> combined = scatter.call(arguments);
    if (!combined) {
      failure = combined.error();
      return;
    }
    setElement(*result, selected, combined->front());
  });
  return failure ? Result<Tensor>(*failure) : result;
}

} // namespace drumlin::interpreter
