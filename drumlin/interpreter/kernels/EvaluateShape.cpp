#include "drumlin/interpreter/kernels/EvaluateShape.h"
#include "drumlin/interpreter/kernels/Elements.h"
#include "drumlin/interpreter/kernels/Index.h"
#include "drumlin/support/diagnostics/InterpreterErrors.h"

namespace drumlin::interpreter {

static std::byte *at(Tensor &tensor, int64_t position) {
  return tensor.data() + position * storageBytes(tensor.type());
}
static const std::byte *at(const Tensor &tensor, int64_t position) {
  return tensor.data() + position * storageBytes(tensor.type());
}

Result<Tensor> splat(const Tensor &scalar, const Shape &shape, const KernelOptions &options) {
  Result<Tensor> result = allocate(scalar.type(), shape, options);
  if (result) {
    fill(storageBytes(scalar.type()), result->data(), result->elements(), scalar.data());
  }
  return result;
}

Result<Tensor> broadcastInDim(const Tensor &operand, std::span<const int64_t> dimensions,
                              const Shape &shape, const KernelOptions &options) {
  Result<Tensor> result = allocate(operand.type(), shape, options);
  if (!result || result->elements() == 0) {
    return result;
  }
  Shape operandStrides = rowMajorStrides(operand.shape());
  Shape strides(shape.size(), 0);
  for (size_t d = 0; d < dimensions.size(); ++d) {
    if (operand.dim(static_cast<int64_t>(d)) != 1) {
      strides[static_cast<size_t>(dimensions[d])] = operandStrides[d];
    }
  }
  copyStrided(storageBytes(operand.type()), shape, operand.data(), strides, result->data(),
              rowMajorStrides(shape));
  return result;
}

Result<Tensor> concatenate(std::span<const Tensor> operands, int64_t dimension,
                           const KernelOptions &options) {
  Shape shape = operands.front().shape();
  size_t d = static_cast<size_t>(dimension);
  shape[d] = 0;
  for (const Tensor &operand : operands) {
    shape[d] += operand.shape()[d];
  }
  Result<Tensor> result = allocate(operands.front().type(), shape, options);
  if (!result) {
    return result;
  }
  Shape strides = rowMajorStrides(shape);
  int64_t offset = 0;
  for (const Tensor &operand : operands) {
    copyStrided(storageBytes(operand.type()), operand.shape(), operand.data(),
                rowMajorStrides(operand.shape()), at(*result, offset * strides[d]), strides);
    offset += operand.shape()[d];
  }
  return result;
}

Result<Tensor> iota(ElementType type, const Shape &shape, int64_t dimension,
                    const KernelOptions &options) {
  Result<Tensor> result = allocate(type, shape, options);
  if (!result || result->elements() == 0) {
    return result;
  }
  // Computes one line along the dimension, then repeats it over the other dimensions.
  int64_t length = shape[static_cast<size_t>(dimension)];
  Result<Tensor> line = allocate(type, {length}, options);
  if (!line) {
    return line;
  }
  withValueType(type, [&]<typename C>() {
    for (int64_t i = 0; i < length; ++i) {
      C value;
      if constexpr (isBoolValue<C>) {
        value = i != 0;
      } else if constexpr (isIntegerValue<C>) {
        value = static_cast<C>(i);
      } else if constexpr (isRealValue<C>) {
        value = stickyDouble(i);
      } else {
        value = C(static_cast<double>(i), 0);
      }
      storeRun<C>(type, &value, at(*line, i), 1);
    }
  });
  Shape strides(shape.size(), 0);
  strides[static_cast<size_t>(dimension)] = 1;
  copyStrided(storageBytes(type), shape, line->data(), strides, result->data(),
              rowMajorStrides(shape));
  return result;
}

Result<Tensor> pad(const Tensor &operand, const Tensor &value, std::span<const int64_t> low,
                   std::span<const int64_t> high, std::span<const int64_t> interior,
                   const KernelOptions &options) {
  size_t rank = operand.shape().size();
  Shape shape(rank);
  for (size_t d = 0; d < rank; ++d) {
    int64_t size = operand.shape()[d];
    int64_t gaps;
    if (__builtin_mul_overflow(std::max<int64_t>(size - 1, 0), interior[d], &gaps) ||
        __builtin_add_overflow(gaps, size, &gaps) || __builtin_add_overflow(gaps, low[d], &gaps) ||
        __builtin_add_overflow(gaps, high[d], &shape[d])) {
      return diagnose(errors::InterpreterMemoryLimit, "a padded dimension's size overflows");
    }
    shape[d] = std::max<int64_t>(shape[d], 0);
  }
  Result<Tensor> result = splat(value, shape, options);
  if (!result || result->elements() == 0 || operand.elements() == 0) {
    return result;
  }
  // In each dimension, the operand elements that end up inside of the result are a contiguous
  // range.
  Shape resultStrides = rowMajorStrides(shape);
  Shape operandStrides = rowMajorStrides(operand.shape());
  Shape count(rank);
  Shape targetStrides(rank);
  int64_t source = 0;
  int64_t target = 0;
  for (size_t d = 0; d < rank; ++d) {
    int64_t step = interior[d] + 1;
    int64_t first = low[d] < 0 ? (-low[d] + step - 1) / step : 0;
    int64_t place = low[d] + first * step;
    int64_t fitting = place < shape[d] ? (shape[d] - 1 - place) / step + 1 : 0;
    count[d] = std::max<int64_t>(std::min(operand.shape()[d] - first, fitting), 0);
    source += first * operandStrides[d];
    target += place * resultStrides[d];
    targetStrides[d] = resultStrides[d] * step;
  }
  if (!isEmpty(count)) {
    copyStrided(storageBytes(operand.type()), count, at(operand, source), operandStrides,
                at(*result, target), targetStrides);
  }
  return result;
}

Result<Tensor> reshape(const Tensor &operand, const Shape &shape) {
  return operand.withShape(shape);
}

Result<Tensor> reverse(const Tensor &operand, std::span<const int64_t> dimensions,
                       const KernelOptions &options) {
  Result<Tensor> result = allocate(operand.type(), operand.shape(), options);
  if (!result || result->elements() == 0) {
    return result;
  }
  Shape strides = rowMajorStrides(operand.shape());
  Shape reversed = strides;
  int64_t last = 0;
  for (int64_t dimension : dimensions) {
    size_t d = static_cast<size_t>(dimension);
    last += strides[d] * (operand.shape()[d] - 1);
    reversed[d] = -strides[d];
  }
  copyStrided(storageBytes(operand.type()), operand.shape(), at(operand, last), reversed,
              result->data(), strides);
  return result;
}

Result<Tensor> slice(const Tensor &operand, std::span<const int64_t> start,
                     std::span<const int64_t> limit, std::span<const int64_t> strides,
                     const KernelOptions &options) {
  size_t rank = operand.shape().size();
  Shape shape(rank);
  Shape operandStrides = rowMajorStrides(operand.shape());
  int64_t first = linearIndex(start, operandStrides);
  for (size_t d = 0; d < rank; ++d) {
    shape[d] = (limit[d] - start[d] + strides[d] - 1) / strides[d];
    operandStrides[d] *= strides[d];
  }
  Result<Tensor> result = allocate(operand.type(), shape, options);
  if (result && result->elements() > 0) {
    copyStrided(storageBytes(operand.type()), shape, at(operand, first), operandStrides,
                result->data(), rowMajorStrides(shape));
  }
  return result;
}

Result<Tensor> transpose(const Tensor &operand, std::span<const int64_t> permutation,
                         const KernelOptions &options) {
  Shape shape = pick(operand.shape(), permutation);
  Shape strides = pick(rowMajorStrides(operand.shape()), permutation);
  Result<Tensor> result = allocate(operand.type(), shape, options);
  if (result) {
    copyStrided(storageBytes(operand.type()), shape, operand.data(), strides, result->data(),
                rowMajorStrides(shape));
  }
  return result;
}

int64_t integerAt(const Tensor &tensor, int64_t position) {
  if (isUnsigned(tensor.type()) || isBoolean(tensor.type())) {
    uint64_t value;
    loadRun<uint64_t>(tensor.type(), at(tensor, position), &value, 1);
    return static_cast<int64_t>(std::min<uint64_t>(value, ~uint64_t{0} >> 1));
  }
  int64_t value;
  loadRun<int64_t>(tensor.type(), at(tensor, position), &value, 1);
  return value;
}

static Index clampedStart(const Tensor &operand, std::span<const Tensor> start,
                          std::span<const int64_t> sizes) {
  Index index(start.size());
  for (size_t d = 0; d < start.size(); ++d) {
    index[d] = std::clamp<int64_t>(integerAt(start[d], 0), 0, operand.shape()[d] - sizes[d]);
  }
  return index;
}

Result<Tensor> dynamicSlice(const Tensor &operand, std::span<const Tensor> start,
                            std::span<const int64_t> sizes, const KernelOptions &options) {
  Result<Tensor> result = allocate(operand.type(), Shape(sizes.begin(), sizes.end()), options);
  if (!result || result->elements() == 0) {
    return result;
  }
  Shape strides = rowMajorStrides(operand.shape());
  int64_t first = linearIndex(clampedStart(operand, start, sizes), strides);
  copyStrided(storageBytes(operand.type()), sizes, at(operand, first), strides, result->data(),
              rowMajorStrides(result->shape()));
  return result;
}

Result<Tensor> dynamicUpdateSlice(const Tensor &operand, const Tensor &update,
                                  std::span<const Tensor> start, const KernelOptions &options) {
  Result<Tensor> result = allocate(operand.type(), operand.shape(), options);
  if (!result || result->elements() == 0) {
    return result;
  }
  std::memcpy(result->data(), operand.data(), static_cast<size_t>(operand.bytes()));
  if (update.elements() > 0) {
    Shape strides = rowMajorStrides(operand.shape());
    int64_t first = linearIndex(clampedStart(operand, start, update.shape()), strides);
    copyStrided(storageBytes(operand.type()), update.shape(), update.data(),
                rowMajorStrides(update.shape()), at(*result, first), strides);
  }
  return result;
}

Tensor scalarAt(const Tensor &tensor, int64_t position) {
  Tensor scalar(tensor.type(), {});
  std::memcpy(scalar.data(), at(tensor, position), storageBytes(tensor.type()));
  return scalar;
}

void setElement(Tensor &tensor, int64_t position, const Tensor &scalar) {
  std::memcpy(at(tensor, position), scalar.data(), storageBytes(tensor.type()));
}

} // namespace drumlin::interpreter
