// Arithmetic on quantized elements. Source: StableHLO specification, "Quantization computations":
// operands are dequantized, the operation is that on floating-point numbers, and its results are
// quantized.
#pragma once

#include "drumlin/interpreter/Frame.h"

namespace drumlin {

// Whether an operation has quantized operands or results and computes on the numbers that they
// stand for. Those that move or compare elements, and those with regions, work on what is stored.
bool computesOnExpressedNumbers(mlir::Operation *operation);

Result<std::vector<Tensor>> executeOnExpressedNumbers(mlir::Operation *operation,
                                                      const OperationHandler &handler,
                                                      std::vector<Tensor> operands, Frame &frame);

} // namespace drumlin
