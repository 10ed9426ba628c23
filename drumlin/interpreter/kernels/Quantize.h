// Quantized elements: integers that stand for floating-point numbers. Source: StableHLO
// specification, "Quantization computations": every step rounds to the expressed type.
#pragma once

#include "drumlin/interpreter/kernels/Allocation.h"

namespace drumlin::interpreter {

// How the integers of a tensor are to be read.
struct Quantization {
  ElementType storage = ElementType::SI8;
  ElementType expressed = ElementType::F32;
  int64_t storageMin = -128;
  int64_t storageMax = 127;
  // One for the whole tensor, or one for each block; blocks are numbered in row-major order.
  std::vector<double> scales;
  std::vector<int64_t> zeroPoints;
  // How many elements of each dimension share a block; empty for the whole tensor. A dimension of
  // which all elements do has its whole size here.
  std::vector<int64_t> blockSizes;
};

// (x - zero_point) * scale.
Result<Tensor> dequantize(const Tensor &operand, const Quantization &quantization,
                          const KernelOptions &options);

// round(clamp(min, x / scale + zero_point, max)) to nearest even. What isn't a number becomes zero,
// as `convert` makes it; a storage range without zero then clamps it.
Result<Tensor> quantize(const Tensor &operand, const Quantization &quantization,
                        const KernelOptions &options);

} // namespace drumlin::interpreter
