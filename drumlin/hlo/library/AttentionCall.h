// Calls of cuDNN's fused attention that XLA's GPU backend and JAX emit: `__cudnn$fmhaSoftmax` and
// `__cudnn$fmhaScaleBiasSoftmax`.
#pragma once

#include <cstdint>
#include <optional>
#include <string_view>
#include <vector>

namespace drumlin::hlo {

// The parameters of an attention call, which computes
//
//   softmax(mask(scale · q·kᵀ + bias))·v, along keys
//
// The call's results are, in order: the value above; in training, the logarithms of the softmax's
// sums; the library's workspace. Source: XLA, `CudnnfMHABackendConfig`.
struct AttentionCall {
  double scale = 1;
  bool isCausal = false; // no query attends to a later key
  // The index of the head dimension in q, k, v and the result: 2 for [batch, sequence, head, size],
  // 1 for [batch, head, sequence, size]. The bias is [batch, head, query, key].
  int64_t headDimension = 2;
  // The role of each operand: `q`, `k`, `v` or `bias`.
  std::vector<std::string_view> operands;
};

// Parses a call with the given number of operands. `config`: the attribute `backend_config`, which
// is JSON. Returns nullopt for other targets, dimension orders or operand counts, and for calls
// with dropout, masks other than the causal one, or a sliding window.
std::optional<AttentionCall> readAttentionCall(std::string_view target, std::string_view config,
                                               size_t operands);

} // namespace drumlin::hlo
