// Calls of GEMM libraries that XLA's GPU backend makes of products, as the operations that they
// compute: `__cublas$gemm`, `__cublas$lt$matmul` and `__cublas$lt$matmul$f8`.
#pragma once

#include "drumlin/import/hlo/Emitter.h"

namespace drumlin::hlo {

// Whether the instruction is such a call whose configuration says all that it computes, and was
// written: what drumlin/hlo/library/GemmCall.h says, the workspace as zeros.
bool emitGemmCall(Emitter &emitter, llvm::StringRef target);

} // namespace drumlin::hlo
