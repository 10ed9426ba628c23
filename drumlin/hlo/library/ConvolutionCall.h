// Calls of cuDNN that XLA's GPU backend emits for convolutions: `__cudnn$convForward`,
// `__cudnn$convBiasActivationForward`, `__cudnn$convBackwardInput`, `__cudnn$convBackwardFilter`.
#pragma once

#include <cstdint>
#include <optional>
#include <string_view>
#include <vector>

namespace drumlin::hlo {

// The parameters of a convolution call besides its window, dimension labels and groups. The call
// computes
//
//   function(scale · conv(x, w) + side_scale · side + bias)
//
// or the gradient of conv(x, w) with respect to x or w, given the gradient of the convolution's
// result. The call's results are this value and the library's workspace. Source: XLA,
// `CudnnConvBackendConfig`; NVIDIA's cuDNN documentation, "Convolution".
struct ConvolutionCall {
  enum class Kind : uint8_t { Forward, InputGradient, FilterGradient };
  enum class Function : uint8_t { None, Sigmoid, Relu, Relu6, Tanh, Elu, LeakyRelu, GeluErf };

  Kind kind = Kind::Forward;
  double scale = 1, sideScale = 0;
  double slope = 0; // slope of LeakyRelu for negative arguments
  Function function = Function::None;
  // The role of each operand: `x`, `w`, `dy` (the gradient of the result), `bias` or `side`.
  std::vector<std::string_view> operands;
};

// Parses a call with the given number of operands. `config`: the attribute `backend_config`, which
// is JSON. Returns nullopt for other targets or operand counts, and for activation functions with
// bounds, since the configuration doesn't state the bounds.
std::optional<ConvolutionCall> readConvolutionCall(std::string_view target, std::string_view config,
                                                   size_t operands);

} // namespace drumlin::hlo
