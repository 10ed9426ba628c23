#include "drumlin/interpreter/kernels/Window.h"
#include "drumlin/interpreter/kernels/Accumulate.h"
#include "drumlin/interpreter/kernels/BinaryFunctions.h"
#include "drumlin/interpreter/kernels/Compare.h"
#include "drumlin/interpreter/kernels/Index.h"
#include "drumlin/interpreter/kernels/Reduce.h"
#include "drumlin/interpreter/kernels/Shape.h"

namespace drumlin::interpreter {

// With the input padded and dilated beforehand, the window's elements lie at the same offsets from
// its start everywhere.
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

template <typename C, typename Function>
static void reduceWindows(const Tensor &input, const Tensor &initial, Tensor &result,
                          const Shape &startStrides, std::span<const int64_t> offsets, bool wide,
                          const Function &function) {
  ElementType type = input.type();
  std::unique_ptr<C[]> values = decodeAll<C>(input);
  C start;
  loadRun<C>(type, initial.data(), &start, 1);
  bool exact = wide || type == ElementType::F64 || type == ElementType::C128;
  std::byte *target = result.data();
  for (StridedTraversal traversal(result.shape(), {startStrides}); !traversal.done();
       traversal.next()) {
    const C *first = values.get() + traversal.position(0);
    C sum = start;
    for (int64_t offset : offsets) {
      sum = exact ? function(sum, first[offset]) : roundValue(type, function(sum, first[offset]));
    }
    storeRun<C>(type, &sum, target, 1);
    target += storageBytes(type);
  }
}

static Status reduceSimple(const Tensor &input, const Tensor &initial, Tensor &result,
                           const Shape &startStrides, std::span<const int64_t> offsets,
                           BinaryOperation operation, const KernelOptions &options) {
  if (Status fits = checkWorkspace(input.elements(), sizeof(std::complex<double>), options);
      !fits) {
    return fits;
  }
  bool wide = accumulatesWide(operation, input.type(), options);
  return withBinaryFunction(operation, input.type(), [&](const auto &function) {
    return withValueType(input.type(), [&]<typename C>() -> Status {
      if constexpr (BinaryFunctionOf<std::remove_cvref_t<decltype(function)>, C>) {
        if constexpr (std::is_same_v<std::invoke_result_t<decltype(function), C, C>, C>) {
          reduceWindows<C>(input, initial, result, startStrides, offsets, wide, function);
          return Done{};
        }
      }
      return unsupportedElementType(mnemonic(operation), input.type());
    });
  });
}

static Status reduceByCalls(std::span<const Tensor> inputs, std::span<const Tensor> initial,
                            std::vector<Tensor> &results, const Shape &startStrides,
                            std::span<const int64_t> offsets, const ReductionBody &body) {
  int64_t position = 0;
  for (StridedTraversal traversal(results.front().shape(), {startStrides}); !traversal.done();
       traversal.next(), ++position) {
    std::vector<Tensor> sums(initial.begin(), initial.end());
    for (int64_t offset : offsets) {
      std::vector<Tensor> arguments = sums;
      for (const Tensor &input : inputs) {
        arguments.push_back(scalarAt(input, traversal.position(0) + offset));
      }
      Result<std::vector<Tensor>> combined = body.call(arguments);
      if (!combined) {
        return combined.error();
      }
      sums = std::move(*combined);
    }
    for (size_t k = 0; k < results.size(); ++k) {
      setElement(results[k], position, sums[k]);
    }
  }
  return Done{};
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
  std::vector<int64_t> offsets = windowOffsets(window, strides);
  for (size_t d = 0; d < strides.size(); ++d) {
    strides[d] *= window.strides[d];
  }
  Status status = inputs.size() == 1 && body.operation
                      ? reduceSimple(values->front(), initial->front(), results.front(), strides,
                                     offsets, *body.operation, options)
                      : reduceByCalls(*values, *initial, results, strides, offsets, body);
  return status ? Result<std::vector<Tensor>>(std::move(results)) : status.error();
}

// Whether select(selected, element) holds, so that the element selected so far stays.
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
