// What is transposed around library calls, and why.
#pragma once

#include "drumlin/ir/stablehlo/StablehloOps.h"
#include "drumlin/target/LibraryCall.h"
#include "mlir/IR/Operation.h"

#include <string>

namespace drumlin {

// Returns the transpose of a kernel that does nothing else; null for other kernels, and for none.
stablehlo::TransposeOp transposeOf(mlir::Operation *kernel);

// Says why a kernel's input, which a transpose with this permutation made, isn't read as it lay
// before the transpose: "its batch dimensions lie apart, where the library takes one stride for
// them". A phrase without an end.
std::string reasonOfTranspose(mlir::Operation *kernel, unsigned input,
                              llvm::ArrayRef<int64_t> permutation, const GpuTarget &target);

} // namespace drumlin
