// Quantized elements as their stored integers, and formulas for the expressed numbers. Source:
// StableHLO specification, "Quantization computations". Conversions in both directions match the
// interpreter (drumlin/interpreter/kernels/EvaluateQuantize.h) bit for bit.
#pragma once

#include "drumlin/interpreter/kernels/EvaluateQuantize.h"
#include "drumlin/transforms/simplify/decompose/TensorBuilder.h"

namespace drumlin {

// Returns the scales and zero points of a quantized tensor's elements.
interpreter::Quantization parametersOf(mlir::RankedTensorType quantized);

// Returns (stored - zero point) * scale, in the expressed type.
mlir::Value dequantize(TensorBuilder &b, mlir::Value stored, mlir::RankedTensorType quantized);

// Returns clamp(round(expressed / scale + zero point), minimum and maximum stored integer).
mlir::Value quantize(TensorBuilder &b, mlir::Value expressed, mlir::RankedTensorType quantized);

// Returns the stored integer that expresses zero.
int64_t storedZero(mlir::RankedTensorType quantized);

// Expands one value per block of a tensor's elements, in row-major order, to one value per element.
mlir::Value valuesOfBlocks(TensorBuilder &b, const interpreter::Quantization &quantization,
                           llvm::ArrayRef<int64_t> shape, mlir::Type element,
                           llvm::ArrayRef<double> values);

// Returns whether stored integers of this type are ordered like the numbers that they express, and
// these numbers convert back exactly. If so, selecting among the numbers can be replaced by
// selecting among the integers.
bool isOrderedAsStored(mlir::RankedTensorType quantized);

} // namespace drumlin
