// Converts calls of GEMM libraries from XLA's GPU backend to the operations that they compute:
// `__cublas$gemm`, `__cublas$lt$matmul` and `__cublas$lt$matmul$f8`.
#pragma once

#include "drumlin/import/hlo/Emitter.h"

namespace drumlin::hlo {

// Converts the instruction if it is a call of a GEMM library with a supported configuration, as
// described in drumlin/hlo/library/GemmCall.h. The result for the library's workspace becomes
// zeros. Returns whether the instruction was converted.
bool emitGemmCall(Emitter &emitter, llvm::StringRef target);

} // namespace drumlin::hlo
