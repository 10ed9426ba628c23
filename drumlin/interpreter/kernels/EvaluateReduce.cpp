#include "drumlin/interpreter/kernels/EvaluateReduce.h"
#include "drumlin/interpreter/kernels/BinaryFunctions.h"
#include "drumlin/interpreter/kernels/EvaluateShape.h"
#include "drumlin/interpreter/kernels/Index.h"

namespace drumlin::interpreter {

bool isReduction(BinaryOperation operation) {
  switch (operation) {
  case BinaryOperation::Add:
  case BinaryOperation::Multiply:
  case BinaryOperation::Maximum:
  case BinaryOperation::Minimum:
  case BinaryOperation::And:
  case BinaryOperation::Or:
  case BinaryOperation::Xor:
    return true;
  default:
    return false;
  }
}

bool accumulatesWide(BinaryOperation operation, ElementType type, const KernelOptions &options) {
  bool sums = operation == BinaryOperation::Add && (isFloat(type) || type == ElementType::C64);
  bool multiplies =
      operation == BinaryOperation::Multiply && isFloat(type) && info(type).bits <= 16;
  return options.wideAccumulation && (sums || multiplies);
}

Result<std::vector<Tensor>> convertAll(std::span<const Tensor> tensors,
                                       std::span<const ElementType> types) {
  std::vector<Tensor> converted;
  for (size_t k = 0; k < tensors.size(); ++k) {
    Result<Tensor> tensor = convert(tensors[k], types[k]);
    if (!tensor) {
      return tensor.error();
    }
    converted.push_back(std::move(*tensor));
  }
  return converted;
}

// Returns the result's stride along each input dimension: zero along the reduced ones.
static Shape resultStrides(const Shape &inputShape, std::span<const int64_t> kept,
                           std::span<const int64_t> strides) {
  Shape result(inputShape.size(), 0);
  for (size_t d = 0; d < kept.size(); ++d) {
    result[static_cast<size_t>(kept[d])] = strides[d];
  }
  return result;
}

// Traverses the input in memory order and adds each element to its result, so that every result
// sees its elements in lexicographic order.
template <typename C, typename Function>
static void reduceInto(const Tensor &input, const Tensor &initial, Tensor &result,
                       const Shape &strides, bool wide, const Function &function) {
  ElementType type = input.type();
  auto sums = std::make_unique_for_overwrite<C[]>(static_cast<size_t>(result.elements()));
  C start;
  loadRun<C>(type, initial.data(), &start, 1);
  std::fill_n(sums.get(), result.elements(), start);
  bool exact = wide || type == ElementType::F64 || type == ElementType::C128;
  // Traverses the lines along the innermost dimension, each line in blocks.
  size_t inner = input.shape().size() - 1;
  int64_t length = input.shape()[inner];
  int64_t step = strides[inner];
  Shape outer(input.shape().begin(), input.shape().end() - 1);
  Shape outerStrides(strides.begin(), strides.end() - 1);
  const std::byte *source = input.data();
  C block[blockElements];
  for (StridedTraversal traversal(outer, {outerStrides}); !traversal.done(); traversal.next()) {
    C *target = sums.get() + traversal.position(0);
    for (int64_t first = 0; first < length; first += blockElements) {
      int64_t count = std::min(blockElements, length - first);
      loadRun<C>(type, source, block, count);
      source += count * storageBytes(type);
      for (int64_t i = 0; i < count; ++i) {
        C &sum = target[(first + i) * step];
        sum = exact ? function(sum, block[i]) : roundValue(type, function(sum, block[i]));
      }
    }
  }
  storeRun<C>(type, sums.get(), result.data(), result.elements());
}

static Result<Tensor> reduceSimple(const Tensor &input, const Tensor &initial, const Shape &shape,
                                   const Shape &strides, BinaryOperation operation,
                                   const KernelOptions &options) {
  Result<Tensor> result = splat(initial, shape, options);
  if (!result || input.elements() == 0 || input.rank() == 0) {
    return !result || input.elements() == 0 ? result : binary(operation, initial, input);
  }
  if (Status fits = checkWorkspace(result->elements(), sizeof(std::complex<double>), options);
      !fits) {
    return fits.error();
  }
  bool wide = accumulatesWide(operation, input.type(), options);
  return withBinaryFunction(operation, input.type(), [&](const auto &function) {
    return withValueType(input.type(), [&]<typename C>() -> Result<Tensor> {
      if constexpr (BinaryFunctionOf<std::remove_cvref_t<decltype(function)>, C>) {
        if constexpr (std::is_same_v<std::invoke_result_t<decltype(function), C, C>, C>) {
          reduceInto<C>(input, initial, *result, strides, wide, function);
          return result;
        }
      }
      return unsupportedElementType(mnemonic(operation), input.type());
    });
  });
}

Result<std::vector<Tensor>> reduce(std::span<const Tensor> inputs,
                                   std::span<const Tensor> initialValues,
                                   std::span<const int64_t> dimensions, const ReductionBody &body,
                                   const KernelOptions &options) {
  Result<std::vector<Tensor>> values = convertAll(inputs, body.types);
  Result<std::vector<Tensor>> initial = convertAll(initialValues, body.types);
  if (!values || !initial) {
    return !values ? values : initial;
  }
  const Shape &inputShape = inputs.front().shape();
  std::vector<int64_t> kept =
      remainingDimensions(static_cast<int64_t>(inputShape.size()), dimensions);
  Shape shape = pick(inputShape, kept);
  Shape strides = resultStrides(inputShape, kept, rowMajorStrides(shape));
  if (inputs.size() == 1 && body.operation) {
    Result<Tensor> result =
        reduceSimple(values->front(), initial->front(), shape, strides, *body.operation, options);
    return result ? Result<std::vector<Tensor>>(std::vector<Tensor>{*result}) : result.error();
  }
  std::vector<Tensor> results;
  for (const Tensor &value : *initial) {
    Result<Tensor> result = splat(value, shape, options);
    if (!result) {
      return result.error();
    }
    results.push_back(std::move(*result));
  }
  int64_t position = 0;
  for (StridedTraversal traversal(inputShape, {strides}); !traversal.done();
       traversal.next(), ++position) {
    std::vector<Tensor> arguments;
    for (const Tensor &result : results) {
      arguments.push_back(scalarAt(result, traversal.position(0)));
    }
    for (const Tensor &value : *values) {
      arguments.push_back(scalarAt(value, position));
    }
    Result<std::vector<Tensor>> combined = body.call(arguments);
    if (!combined) {
      return combined;
    }
    for (size_t k = 0; k < results.size(); ++k) {
      setElement(results[k], traversal.position(0), (*combined)[k]);
    }
  }
  return results;
}

} // namespace drumlin::interpreter
