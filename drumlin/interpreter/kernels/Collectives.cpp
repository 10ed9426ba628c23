#include "drumlin/interpreter/kernels/Collectives.h"

#include "drumlin/interpreter/kernels/EvaluateReduce.h"
#include "drumlin/interpreter/kernels/EvaluateShape.h"
#include "drumlin/support/diagnostics/InterpreterErrors.h"

namespace drumlin::interpreter {

// Returns part `index` of `count` equal parts along a dimension.
static Result<Tensor> part(const Tensor &tensor, int64_t dimension, int64_t count, size_t index,
                           const KernelOptions &options) {
  if (count <= 0 || tensor.dim(dimension) % count != 0) {
    return diagnose(errors::ProcessGridMismatch,
                    "a size of " + std::to_string(tensor.dim(dimension)) + " can't be split into " +
                        std::to_string(count) + " equal parts");
  }
  Shape start(tensor.shape().size(), 0), limit(tensor.shape()), strides(start.size(), 1);
  auto d = static_cast<size_t>(dimension);
  int64_t size = tensor.dim(dimension) / count;
  start[d] = size * static_cast<int64_t>(index);
  limit[d] = start[d] + size;
  return slice(tensor, start, limit, strides, options);
}

Result<Tensor> allGather(std::span<const Tensor> operands, int64_t dimension,
                         const KernelOptions &options) {
  return concatenate(operands, dimension, options);
}

static Result<Tensor> combine(const Tensor &lhs, const Tensor &rhs, const ReductionBody &body,
                              const KernelOptions &options) {
  if (body.operation) {
    return binary(*body.operation, lhs, rhs);
  }
  Result<Tensor> result = allocate(body.types.front(), lhs.shape(), options);
  if (!result) {
    return result;
  }
  for (int64_t i = 0; i < lhs.elements(); ++i) {
    Tensor pair[] = {scalarAt(lhs, i), scalarAt(rhs, i)};
    Result<std::vector<Tensor>> value = body.call(pair);
    if (!value) {
      return value.error();
    }
    setElement(*result, i, value->front());
  }
  return result;
}

Result<Tensor> allReduce(std::span<const Tensor> operands, const ReductionBody &body,
                         const KernelOptions &options) {
  std::vector<ElementType> types(operands.size(), body.types.front());
  Result<std::vector<Tensor>> values = convertAll(operands, types);
  if (!values) {
    return values.error();
  }
  Result<Tensor> reduced = values->front();
  for (size_t i = 1; reduced && i < values->size(); ++i) {
    reduced = combine(*reduced, (*values)[i], body, options);
  }
  return reduced;
}

Result<Tensor> reduceScatter(std::span<const Tensor> operands, size_t index, int64_t dimension,
                             const ReductionBody &body, const KernelOptions &options) {
  Result<Tensor> reduced = allReduce(operands, body, options);
  if (!reduced) {
    return reduced;
  }
  return part(*reduced, dimension, static_cast<int64_t>(operands.size()), index, options);
}

Result<Tensor> allToAll(std::span<const Tensor> operands, size_t index, int64_t splitDimension,
                        int64_t concatDimension, int64_t splitCount, const KernelOptions &options) {
  std::vector<Tensor> parts;
  for (const Tensor &operand : operands) {
    Result<Tensor> cut = part(operand, splitDimension, splitCount, index, options);
    if (!cut) {
      return cut;
    }
    parts.push_back(std::move(*cut));
  }
  return concatenate(parts, concatDimension, options);
}

Result<Tensor> zeros(ElementType type, const Shape &shape, const KernelOptions &options) {
  return allocate(type, shape, options);
}

} // namespace drumlin::interpreter
