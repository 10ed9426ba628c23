// Calls of cuDNN that XLA's GPU backend makes of convolutions: `__cudnn$convForward`,
// `__cudnn$convBiasActivationForward`, `__cudnn$convBackwardInput`, `__cudnn$convBackwardFilter`.
#pragma once

#include <cstdint>
#include <optional>
#include <string_view>
#include <vector>

namespace drumlin::hlo {

// Holds what a call says beside its window, dimension labels and groups:
//
//   function(scale · conv(x, w) + side_scale · side + bias)
//
// or the gradient of conv(x, w) by x or by w, from that of its result. Results: that; the library's
// workspace. Source: XLA, `CudnnConvBackendConfig`; NVIDIA's cuDNN documentation, "Convolution".
struct ConvolutionCall {
  enum class Kind : uint8_t { Forward, InputGradient, FilterGradient };
  enum class Function : uint8_t { None, Sigmoid, Relu, Relu6, Tanh, Elu, LeakyRelu, GeluErf };

  Kind kind = Kind::Forward;
  double scale = 1, sideScale = 0;
  double slope = 0; // of LeakyRelu below 0
  Function function = Function::None;
  // Names each operand: `x`, `w`, `dy` (the gradient of the result), `bias`, `side`.
  std::vector<std::string_view> operands;
};

// Reads a call of so many operands. `config`: the text of `backend_config`, which is JSON. Returns
// nothing for other targets, for functions whose bounds the configuration doesn't give, and where
// operands are missing or left over.
std::optional<ConvolutionCall> readConvolutionCall(std::string_view target, std::string_view config,
                                                   size_t operands);

} // namespace drumlin::hlo
