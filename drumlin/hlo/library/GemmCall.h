// Calls of GEMM libraries that XLA's GPU backend makes of products: `__cublas$gemm`,
// `__cublas$lt$matmul` and `__cublas$lt$matmul$f8`.
#pragma once

#include <cstdint>
#include <optional>
#include <string_view>
#include <vector>

namespace drumlin::hlo {

// Holds what a call says. With the scales of f8 calls (1 in others), where c is there if beta isn't
// 0. Older XLA passes all four scales, newer one those of the matrices that are of f8:
//
//   x = alpha · a_scale · b_scale · a·b + beta · c_scale · c + bias
//   results: convert(d_scale · function(x)), saturated to an f8 type; the largest |function(x)|
//   where asked for; the library's workspace
//
// Source: NVIDIA's cuBLAS documentation, "cublasLtMatmul"; XLA, `gemm_backend_config`.
struct GemmCall {
  enum class Function : uint8_t { None, Relu, Gelu };

  std::vector<int64_t> lhsContracting, rhsContracting, lhsBatch, rhsBatch;
  double alpha = 1, beta = 0;
  bool hasBias = false, isF8 = false, givesLargest = false;
  Function function = Function::None;
  // Names each operand: `a`, `b`, `c`, `a_scale`, `b_scale`, `c_scale`, `d_scale`, `bias`.
  std::vector<std::string_view> operands;

  // Returns the number of an operand; nothing where the call has none in this role.
  std::optional<size_t> operand(std::string_view role) const;
};

// Reads a call of so many operands. `config`: the text of `backend_config`, which is JSON. Returns
// nothing for other targets, where the configuration is missing or says more than is known here,
// and where operands are missing or left over.
std::optional<GemmCall> readGemmCall(std::string_view target, std::string_view config,
                                     size_t operands);

} // namespace drumlin::hlo
