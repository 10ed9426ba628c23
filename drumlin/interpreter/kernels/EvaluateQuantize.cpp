#include "drumlin/interpreter/kernels/EvaluateQuantize.h"
#include "drumlin/interpreter/kernels/Elements.h"
#include "drumlin/interpreter/kernels/Index.h"

#include <cmath>

namespace drumlin::interpreter {

// Returns the block number of each element of a shape, in row-major order.
static std::vector<int64_t> blocksOf(const Shape &shape, const Quantization &quantization) {
  std::vector<int64_t> blocks;
  if (quantization.blockSizes.empty()) {
    return blocks;
  }
  Shape counts;
  for (size_t d = 0; d < shape.size(); ++d) {
    int64_t size = std::max<int64_t>(quantization.blockSizes[d], 1);
    counts.push_back((shape[d] + size - 1) / size);
  }
  Shape strides = rowMajorStrides(counts);
  forEachIndex(shape, [&](const Index &index) {
    int64_t block = 0;
    for (size_t d = 0; d < shape.size(); ++d) {
      block += index[d] / std::max<int64_t>(quantization.blockSizes[d], 1) * strides[d];
    }
    blocks.push_back(block);
  });
  return blocks;
}

Result<Tensor> dequantize(const Tensor &operand, const Quantization &quantization,
                          const KernelOptions &options) {
  ElementType type = quantization.expressed;
  Result<Tensor> result = allocate(type, operand.shape(), options);
  if (!result) {
    return result;
  }
  std::vector<int64_t> blocks = blocksOf(operand.shape(), quantization);
  for (int64_t i = 0; i < operand.elements(); ++i) {
    size_t block = blocks.empty() ? 0 : static_cast<size_t>(blocks[static_cast<size_t>(i)]);
    double value = toDouble(operand.type(), operand.data() + i * storageBytes(operand.type()));
    // In the specification, the difference has the storage type and may overflow. Computes the
    // exact difference, which the specification must mean.
    double difference = roundTo(type, value - static_cast<double>(quantization.zeroPoints[block]));
    double product = difference * roundTo(type, quantization.scales[block]);
    encodeRun(type, &product, result->data() + i * storageBytes(type), 1);
  }
  return result;
}

Result<Tensor> quantize(const Tensor &operand, const Quantization &quantization,
                        const KernelOptions &options) {
  ElementType type = quantization.expressed;
  Result<Tensor> result = allocate(quantization.storage, operand.shape(), options);
  if (!result) {
    return result;
  }
  std::vector<int64_t> blocks = blocksOf(operand.shape(), quantization);
  double least = roundTo(type, static_cast<double>(quantization.storageMin));
  double most = roundTo(type, static_cast<double>(quantization.storageMax));
  for (int64_t i = 0; i < operand.elements(); ++i) {
    size_t block = blocks.empty() ? 0 : static_cast<size_t>(blocks[static_cast<size_t>(i)]);
    double value = toDouble(operand.type(), operand.data() + i * storageBytes(operand.type()));
    double scaled = roundTo(type, value / roundTo(type, quantization.scales[block]));
    double shifted =
        roundTo(type, scaled + roundTo(type, static_cast<double>(quantization.zeroPoints[block])));
    double clamped = std::isnan(shifted) ? shifted : std::fmin(std::fmax(least, shifted), most);
    // The expressed type may not represent the nearest integer, so the integer is rounded to this
    // type. The rounded bounds may exceed the storage type's bounds, so the integer is clamped once
    // more below.
    double rounded = roundTo(type, std::nearbyint(clamped));
    rounded = std::isnan(rounded) ? 0 : rounded;
    int64_t stored =
        rounded >= static_cast<double>(quantization.storageMax)   ? quantization.storageMax
        : rounded <= static_cast<double>(quantization.storageMin) ? quantization.storageMin
                                                                  : static_cast<int64_t>(rounded);
    std::byte *target = result->data() + i * storageBytes(quantization.storage);
    if (isSigned(quantization.storage)) {
      storeRun<int64_t>(quantization.storage, &stored, target, 1);
    } else {
      uint64_t bits = static_cast<uint64_t>(stored);
      storeRun<uint64_t>(quantization.storage, &bits, target, 1);
    }
  }
  return result;
}

} // namespace drumlin::interpreter
