// Calls of GEMM libraries that XLA's GPU backend emits for dots: `__cublas$gemm`,
// `__cublas$lt$matmul` and `__cublas$lt$matmul$f8`.
#pragma once

#include <cstdint>
#include <optional>
#include <string_view>
#include <vector>

namespace drumlin::hlo {

// The parameters of a GEMM call. Scales are 1 except in f8 calls; c is an operand only if beta
// isn't 0. Older XLA versions pass all four scales, newer versions pass only the scales of f8
// matrices.
//
//   x = alpha · a_scale · b_scale · a·b + beta · c_scale · c + bias
//   results: convert(d_scale · function(x)), saturated to an f8 type; the largest |function(x)|
//   if givesLargest; the library's workspace
//
// Source: NVIDIA's cuBLAS documentation, "cublasLtMatmul"; XLA, `gemm_backend_config`.
struct GemmCall {
  enum class Function : uint8_t { None, Relu, Gelu };

  std::vector<int64_t> lhsContracting, rhsContracting, lhsBatch, rhsBatch;
  double alpha = 1, beta = 0;
  bool hasBias = false, isF8 = false, givesLargest = false;
  Function function = Function::None;
  // The role of each operand: `a`, `b`, `c`, `a_scale`, `b_scale`, `c_scale`, `d_scale` or `bias`.
  std::vector<std::string_view> operands;

  // Returns the index of the operand in a role, or nullopt.
  std::optional<size_t> operand(std::string_view role) const;
};

// Parses a call with the given number of operands. `config`: the attribute `backend_config`, which
// is JSON. Returns nullopt for other targets or operand counts, and if the configuration is missing
// or has an unknown epilogue or a complex alpha.
std::optional<GemmCall> readGemmCall(std::string_view target, std::string_view config,
                                     size_t operands);

} // namespace drumlin::hlo
