// Calls of GEMM libraries that XLA's GPU backend makes of products, as the operations that they
// compute: `__cublas$gemm`, `__cublas$lt$matmul` and `__cublas$lt$matmul$f8`.
#pragma once

#include "drumlin/import/hlo/Emitter.h"

namespace drumlin::hlo {

// Whether the instruction is such a call whose configuration says all that it computes, and was
// written. With the scales of f8 calls (1 in others), where c is there if beta isn't 0:
//
//   x = alpha · scale_a · scale_b · a·b + beta · scale_c · c + bias
//   results: convert(scale_d · epilogue(x)), saturated to an f8 type; the largest |epilogue(x)|
//   where asked for; the library's workspace, as zeros
//
// Source: NVIDIA's cuBLAS documentation, "cublasLtMatmul"; XLA, `gemm_backend_config`.
bool emitGemmCall(Emitter &emitter, llvm::StringRef target);

} // namespace drumlin::hlo
