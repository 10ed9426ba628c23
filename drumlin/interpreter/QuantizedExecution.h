// Arithmetic on quantized elements. Source: StableHLO specification, "Quantization computations":
// operands are dequantized, the operation runs on floating-point numbers, and its results are
// quantized.
#pragma once

#include "drumlin/interpreter/kernels/Allocation.h"
#include "drumlin/support/Diagnostics.h"
#include "drumlin/support/Tensor.h"

#include "mlir/IR/Operation.h"

#include <vector>

namespace drumlin {

// Returns whether an operation has quantized operands or results and computes on the numbers that
// they express. Operations that move or compare elements, or that have regions, use the stored
// integers instead.
bool computesOnExpressedNumbers(mlir::Operation *operation);

// Dequantizes the quantized operands of an operation.
Result<std::vector<Tensor>> expressedOperands(mlir::Operation *operation,
                                              std::vector<Tensor> operands,
                                              const interpreter::KernelOptions &options);
// Quantizes the results of an operation whose types are quantized.
Result<std::vector<Tensor>> storedResults(mlir::Operation *operation, std::vector<Tensor> results,
                                          const interpreter::KernelOptions &options);

} // namespace drumlin
