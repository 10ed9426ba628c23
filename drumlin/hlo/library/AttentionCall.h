// Calls of cuDNN's fused attention, as XLA's GPU backend and JAX make them: `__cudnn$fmhaSoftmax`
// and `__cudnn$fmhaScaleBiasSoftmax`.
#pragma once

#include <cstdint>
#include <optional>
#include <string_view>
#include <vector>

namespace drumlin::hlo {

// Holds what a call says:
//
//   softmax(mask(scale · q·kᵀ + bias))·v, along keys
//
// Results: that; in training the logarithms of the sums; the library's workspace.
// Source: XLA, `CudnnfMHABackendConfig`.
struct AttentionCall {
  double scale = 1;
  bool isCausal = false; // no query sees a later key
  // Numbers the dimension of heads in q, k, v and the result: 2 in [batch, sequence, head, size], 1
  // in [batch, head, sequence, size]. The bias is [batch, head, query, key].
  int64_t headDimension = 2;
  // Names each operand: `q`, `k`, `v`, `bias`.
  std::vector<std::string_view> operands;
};

// Reads a call of so many operands. `config`: the text of `backend_config`, which is JSON. Returns
// nothing for other targets and orders of dimensions, where dropout, another mask or a window is
// asked for, and where operands are missing or left over.
std::optional<AttentionCall> readAttentionCall(std::string_view target, std::string_view config,
                                               size_t operands);

} // namespace drumlin::hlo
