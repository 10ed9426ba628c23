// Quantized elements: integers that stand for floating-point numbers. Source: StableHLO
// specification, "Quantization computations": every step rounds to the expressed type.
#pragma once

#include "drumlin/interpreter/kernels/Allocation.h"

namespace drumlin::interpreter {

// The meaning of a tensor's quantized integers.
struct Quantization {
  ElementType storage = ElementType::SI8;
  ElementType expressed = ElementType::F32;
  int64_t storageMin = -128;
  int64_t storageMax = 127;
  // One scale for the whole tensor, or one for each block; blocks are numbered in row-major order.
  std::vector<double> scales;
  std::vector<int64_t> zeroPoints;
  // Block size per dimension; empty if the whole tensor is one block. A dimension that isn't split
  // has its full size here.
  std::vector<int64_t> blockSizes;
};

// Computes (x - zero_point) * scale.
Result<Tensor> dequantize(const Tensor &operand, const Quantization &quantization,
                          const KernelOptions &options);

// Computes round(clamp(min, x / scale + zero_point, max)) to nearest even. NaN becomes zero, as in
// `convert`; if the storage range doesn't contain zero, NaN becomes the number in the range that is
// nearest to zero.
Result<Tensor> quantize(const Tensor &operand, const Quantization &quantization,
                        const KernelOptions &options);

} // namespace drumlin::interpreter
