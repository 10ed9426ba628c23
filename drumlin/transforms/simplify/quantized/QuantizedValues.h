// Quantized elements as the integers that they are stored as, and the numbers that they express as
// formulas of those. Source: StableHLO specification, "Quantization computations". Which number an
// element expresses, and which element a number becomes, is as the interpreter has it
// (drumlin/interpreter/kernels/Quantize.h), bit for bit.
#pragma once

#include "drumlin/interpreter/kernels/Quantize.h"
#include "drumlin/transforms/simplify/decompose/TensorBuilder.h"

namespace drumlin {

// The scales and zero points of a quantized tensor's elements.
interpreter::Quantization parametersOf(mlir::RankedTensorType quantized);

// (stored - zero point) * scale, in the expressed type.
mlir::Value dequantize(TensorBuilder &b, mlir::Value stored, mlir::RankedTensorType quantized);

// clamp(round(expressed / scale + zero point), least and greatest stored integer).
mlir::Value quantize(TensorBuilder &b, mlir::Value expressed, mlir::RankedTensorType quantized);

// The element that stands for zero.
int64_t storedZero(mlir::RankedTensorType quantized);

// One value for each block of a tensor's elements, in row-major order, as a tensor with a value for
// each element.
mlir::Value valuesOfBlocks(TensorBuilder &b, const interpreter::Quantization &quantization,
                           llvm::ArrayRef<int64_t> shape, mlir::Type element,
                           llvm::ArrayRef<double> values);

// Whether elements of this type are ordered as the numbers are that they express, which become
// those elements again: what selects among such numbers selects among the integers.
bool isOrderedAsStored(mlir::RankedTensorType quantized);

} // namespace drumlin
