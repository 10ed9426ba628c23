// Why operands of library calls are transposed before them.
#pragma once

#include "drumlin/target/LibraryCall.h"
#include "mlir/IR/Operation.h"

#include <string>

namespace drumlin {

// Says why a kernel's input, which a transpose with this permutation made, isn't read as it lay
// before the transpose: "its batch dimensions lie apart, where the library takes one stride for
// them". A phrase without an end.
std::string reasonOfTranspose(mlir::Operation *kernel, unsigned input,
                              llvm::ArrayRef<int64_t> permutation, const GpuTarget &target);

} // namespace drumlin
