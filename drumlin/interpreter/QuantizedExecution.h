// Arithmetic on quantized elements. Source: StableHLO specification, "Quantization computations":
// operands are dequantized, the operation is that on floating-point numbers, and its results are
// quantized.
#pragma once

#include "drumlin/interpreter/kernels/Allocation.h"
#include "drumlin/support/Diagnostics.h"
#include "drumlin/support/Tensor.h"

#include "mlir/IR/Operation.h"

#include <vector>

namespace drumlin {

// Whether an operation has quantized operands or results and computes on the numbers that they
// stand for. Those that move or compare elements, and those with regions, work on what is stored.
bool computesOnExpressedNumbers(mlir::Operation *operation);

// Dequantizes those of an operation's operands that are quantized.
Result<std::vector<Tensor>> expressedOperands(mlir::Operation *operation,
                                              std::vector<Tensor> operands,
                                              const interpreter::KernelOptions &options);
// Quantizes those of an operation's results whose types are quantized.
Result<std::vector<Tensor>> storedResults(mlir::Operation *operation, std::vector<Tensor> results,
                                          const interpreter::KernelOptions &options);

} // namespace drumlin
