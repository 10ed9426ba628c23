// Explains the transposes around library calls.
#pragma once

#include "drumlin/ir/stablehlo/StablehloOps.h"
#include "drumlin/target/LibraryCall.h"
#include "mlir/IR/Operation.h"

#include <string>

namespace drumlin {

// Returns the transpose if the kernel (may be null) does nothing else; otherwise null.
stablehlo::TransposeOp transposeOf(mlir::Operation *kernel);

// Explains why a kernel's input is transposed with this permutation instead of being read in place:
// "its batch dimensions lie apart, where the library takes one stride for them". The phrase has no
// final period.
std::string reasonOfTranspose(mlir::Operation *kernel, unsigned input,
                              llvm::ArrayRef<int64_t> permutation, const GpuTarget &target);

} // namespace drumlin
