// Explains the transposes around library calls.
#pragma once

#include "drumlin/ir/stablehlo/TransposeOp.h"
#include "drumlin/target/LibraryCall.h"
#include "mlir/IR/Operation.h"

#include <string>

namespace drumlin {

// Returns the kernel's transpose if the kernel computes nothing else, otherwise null. The kernel
// may be null.
stablehlo::TransposeOp transposeOf(mlir::Operation *kernel);

// Returns the reason why a kernel's input is transposed with this permutation instead of being read
// in place, e.g. "its batch dimensions have no common stride, but the library takes only one",
// without a final period.
std::string reasonOfTranspose(mlir::Operation *kernel, unsigned input,
                              llvm::ArrayRef<int64_t> permutation, const GpuTarget &target);

} // namespace drumlin
