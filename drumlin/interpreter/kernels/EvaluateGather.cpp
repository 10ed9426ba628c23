#include "drumlin/interpreter/kernels/EvaluateGather.h"
#include "drumlin/interpreter/kernels/Accumulate.h"
#include "drumlin/interpreter/kernels/EvaluateReduce.h"
#include "drumlin/interpreter/kernels/EvaluateShape.h"
#include "drumlin/interpreter/kernels/Index.h"

#include <algorithm>
#include <cstring>

namespace drumlin::interpreter {

namespace {
// Reads the index vector that a batch index selects in start_indices or scatter_indices.
class IndexVectors {
public:
  // `map` gives the operand dimension of each component of an index vector. Operand dimension
  // `operandBatching[i]` has the same index as dimension `indicesBatching[i]` of `indices`.
  IndexVectors(const Tensor &indices, int64_t vectorDim, std::span<const int64_t> map,
               std::span<const int64_t> operandBatching, std::span<const int64_t> indicesBatching,
               size_t operandRank)
      : indices(indices), strides(rowMajorStrides(indices.shape())), map(map),
        operandBatching(operandBatching), indicesBatching(indicesBatching),
        operandRank(operandRank) {
    if (vectorDim < indices.rank()) {
      componentStride = strides[static_cast<size_t>(vectorDim)];
    }
    std::vector<int64_t> vectorDims{vectorDim};
    batchDims = remainingDimensions(indices.rank(), vectorDims);
  }

  std::vector<int64_t> batchShape() const { return pick(indices.shape(), batchDims); }

  // Returns the start index in each operand dimension: from the index vector, or zero in dimensions
  // that `map` lacks.
  Index starts(std::span<const int64_t> batch) const {
    Index result(operandRank, 0);
    int64_t position = 0;
    for (size_t d = 0; d < batchDims.size(); ++d) {
      position += batch[d] * strides[static_cast<size_t>(batchDims[d])];
    }
    for (size_t component = 0; component < map.size(); ++component) {
      result[static_cast<size_t>(map[component])] =
          integerAt(indices, position + static_cast<int64_t>(component) * componentStride);
    }
    return result;
  }

  // Returns the index in each of the operand's batching dimensions, and zero in other dimensions.
  Index batching(std::span<const int64_t> batch) const {
    Index result(operandRank, 0);
    for (size_t i = 0; i < operandBatching.size(); ++i) {
      auto place = std::find(batchDims.begin(), batchDims.end(), indicesBatching[i]);
      result[static_cast<size_t>(operandBatching[i])] =
          batch[static_cast<size_t>(place - batchDims.begin())];
    }
    return result;
  }

private:
  const Tensor &indices;
  Shape strides;
  std::span<const int64_t> map, operandBatching, indicesBatching;
  size_t operandRank;
  int64_t componentStride = 0;
  std::vector<int64_t> batchDims;
};
} // namespace

static std::vector<int64_t> joined(std::span<const int64_t> a, std::span<const int64_t> b) {
  std::vector<int64_t> result(a.begin(), a.end());
  result.insert(result.end(), b.begin(), b.end());
  return result;
}

Result<Tensor> gather(const Tensor &operand, const Tensor &startIndices,
                      const GatherDimensions &dimensions, std::span<const int64_t> sliceSizes,
                      const KernelOptions &options) {
  size_t rank = operand.shape().size();
  IndexVectors vectors(startIndices, dimensions.indexVectorDim, dimensions.startIndexMap,
                       dimensions.operandBatchingDims, dimensions.startIndicesBatchingDims, rank);
  std::vector<int64_t> sliceDims = remainingDimensions(
      operand.rank(), joined(dimensions.collapsedSliceDims, dimensions.operandBatchingDims));
  Shape batchShape = vectors.batchShape();
  Shape sliceShape = pick(sliceSizes, sliceDims);
  int64_t resultRank = static_cast<int64_t>(batchShape.size() + sliceShape.size());
  std::vector<int64_t> batchDims = remainingDimensions(resultRank, dimensions.offsetDims);
  Shape shape(static_cast<size_t>(resultRank));
  for (size_t d = 0; d < batchDims.size(); ++d) {
    shape[static_cast<size_t>(batchDims[d])] = batchShape[d];
  }
  for (size_t d = 0; d < sliceDims.size(); ++d) {
    shape[static_cast<size_t>(dimensions.offsetDims[d])] = sliceShape[d];
  }
  Result<Tensor> result = allocate(operand.type(), shape, options);
  if (!result || result->elements() == 0) {
    return result;
  }
  Shape strides = rowMajorStrides(operand.shape());
  Shape sliceStrides = pick(strides, sliceDims);
  Shape resultStrides = rowMajorStrides(shape);
  Shape offsetStrides = pick(resultStrides, dimensions.offsetDims);
  Shape batchStrides = pick(resultStrides, batchDims);
  int64_t size = storageBytes(operand.type());
  forEachIndex(batchShape, [&](const Index &batch) {
    Index start = vectors.starts(batch);
    Index batching = vectors.batching(batch);
    for (size_t d = 0; d < rank; ++d) {
      start[d] = std::clamp<int64_t>(start[d], 0, operand.shape()[d] - sliceSizes[d]) + batching[d];
    }
    copyStrided(static_cast<unsigned>(size), sliceShape,
                operand.data() + linearIndex(start, strides) * size, sliceStrides,
                result->data() + linearIndex(batch, batchStrides) * size, offsetStrides);
  });
  return result;
}

// Returns the input position of an update element, or nothing if it is outside of the input.
static std::optional<int64_t> landing(const Index &start, const Index &window, const Shape &shape,
                                      const Shape &strides) {
  int64_t position = 0;
  for (size_t d = 0; d < shape.size(); ++d) {
    // The start index comes from the program and may be any number, so the sum may overflow.
    int64_t place;
    if (__builtin_add_overflow(start[d], window[d], &place) || place < 0 || place >= shape[d]) {
      return std::nullopt;
    }
    position += place * strides[d];
  }
  return position;
}

static bool isNarrowSum(BinaryOperation operation, std::span<const ElementType> types,
                        const KernelOptions &options) {
  ElementType type = types.front();
  return operation == BinaryOperation::Add && type != ElementType::F64 &&
         accumulatesWide(operation, type, options);
}

// Scatters with sums in double, which are rounded once at the end.
static Result<std::vector<Tensor>>
scatterWide(std::span<const Tensor> inputs, const Tensor &scatterIndices,
            std::span<const Tensor> updates, const ScatterDimensions &dimensions,
            const ReductionBody &body, const KernelOptions &options) {
  ReductionBody wide = body;
  wide.types = {isComplex(body.types.front()) ? ElementType::C128 : ElementType::F64};
  Result<std::vector<Tensor>> results =
      scatter(inputs, scatterIndices, updates, dimensions, wide, options);
  return results ? convertAll(*results, body.types) : results;
}

Result<std::vector<Tensor>> scatter(std::span<const Tensor> inputs, const Tensor &scatterIndices,
                                    std::span<const Tensor> updates,
                                    const ScatterDimensions &dimensions, const ReductionBody &body,
                                    const KernelOptions &options) {
  if (inputs.size() == 1 && body.operation && isNarrowSum(*body.operation, body.types, options)) {
    return scatterWide(inputs, scatterIndices, updates, dimensions, body, options);
  }
  const Shape &inputShape = inputs.front().shape();
  const Shape &updateShape = updates.front().shape();
  Result<std::vector<Tensor>> values = convertAll(updates, body.types);
  Result<std::vector<Tensor>> results = convertAll(inputs, body.types);
  if (!values || !results) {
    return !values ? values : results;
  }
  for (Tensor &result : *results) {
    Result<Tensor> copy = allocate(result.type(), inputShape, options);
    if (!copy) {
      return copy.error();
    }
    if (copy->elements() > 0) {
      std::memcpy(copy->data(), result.data(), static_cast<size_t>(result.bytes()));
    }
    result = std::move(*copy);
  }
  size_t rank = inputShape.size();
  IndexVectors vectors(scatterIndices, dimensions.indexVectorDim,
                       dimensions.scatterDimsToOperandDims, dimensions.inputBatchingDims,
                       dimensions.scatterIndicesBatchingDims, rank);
  std::vector<int64_t> windowDims =
      remainingDimensions(static_cast<int64_t>(rank),
                          joined(dimensions.insertedWindowDims, dimensions.inputBatchingDims));
  std::vector<int64_t> scatterDims =
      remainingDimensions(static_cast<int64_t>(updateShape.size()), dimensions.updateWindowDims);
  std::optional<ElementAccumulator> accumulate;
  if (inputs.size() == 1) {
    accumulate = ElementAccumulator::make(body, body.types.front());
  }
  Shape strides = rowMajorStrides(inputShape);
  Index start(rank, 0);
  Index lastBatch;
  Index batch(scatterDims.size());
  Index window(rank, 0);
  int64_t position = -1;
  std::optional<Diagnostic> failure;
  forEachIndex(updateShape, [&](const Index &update) {
    ++position;
    for (size_t d = 0; d < scatterDims.size(); ++d) {
      batch[d] = update[static_cast<size_t>(scatterDims[d])];
    }
    if (position == 0 || batch != lastBatch) {
      start = vectors.starts(batch);
      Index batching = vectors.batching(batch);
      for (size_t d = 0; d < rank; ++d) {
        // At most one of `start[d]` and `batching[d]` is nonzero.
        start[d] += batching[d];
      }
      lastBatch = batch;
    }
    for (size_t d = 0; d < windowDims.size(); ++d) {
      window[static_cast<size_t>(windowDims[d])] =
          update[static_cast<size_t>(dimensions.updateWindowDims[d])];
    }
    std::optional<int64_t> target = landing(start, window, inputShape, strides);
    if (failure || !target) {
      return;
    }
    if (accumulate) {
      int64_t size = storageBytes(body.types.front());
      (*accumulate)(results->front().data() + *target * size,
                    values->front().data() + position * size);
      return;
    }
    std::vector<Tensor> arguments;
    for (const Tensor &result : *results) {
      arguments.push_back(scalarAt(result, *target));
    }
    for (const Tensor &value : *values) {
      arguments.push_back(scalarAt(value, position));
    }
    Result<std::vector<Tensor>> combined = body.call(arguments);
    if (!combined) {
      failure = combined.error();
      return;
    }
    for (size_t k = 0; k < results->size(); ++k) {
      setElement((*results)[k], *target, (*combined)[k]);
    }
  });
  return failure ? Result<std::vector<Tensor>>(*failure) : results;
}

} // namespace drumlin::interpreter
