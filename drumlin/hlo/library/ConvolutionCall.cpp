#include "drumlin/hlo/library/ConvolutionCall.h"

#include "drumlin/hlo/library/CallConfiguration.h"

#include <algorithm>
#include <iterator>

namespace drumlin::hlo {

namespace {
struct Target {
  std::string_view name;
  ConvolutionCall::Kind kind;
  std::vector<std::string_view> operands;
  bool hasSide = false; // may have one more operand, `side`
};

struct Mode {
  std::string_view name;
  ConvolutionCall::Function function;
};
} // namespace

static const Target *targetOf(std::string_view name) {
  using Kind = ConvolutionCall::Kind;
  static const Target targets[] = {
      {"__cudnn$convForward", Kind::Forward, {"x", "w"}},
      {"__cudnn$convBiasActivationForward", Kind::Forward, {"x", "w", "bias"}, true},
      {"__cudnn$convBackwardInput", Kind::InputGradient, {"dy", "w"}},
      {"__cudnn$convBackwardFilter", Kind::FilterGradient, {"x", "dy"}},
  };
  const auto *found = std::find_if(std::begin(targets), std::end(targets),
                                   [&](const Target &each) { return each.name == name; });
  return found == std::end(targets) ? nullptr : found;
}

// Source: `ActivationMode` in XLA's `tsl/protobuf/dnn.proto`. kReluX and kBandPass are unsupported,
// since configurations don't state the bounds of these functions.
static std::optional<ConvolutionCall::Function> functionOf(std::string_view mode) {
  using Function = ConvolutionCall::Function;
  static constexpr Mode modes[] = {
      {"kNone", Function::None},           {"kSigmoid", Function::Sigmoid},
      {"kRelu", Function::Relu},           {"kRelu6", Function::Relu6},
      {"kTanh", Function::Tanh},           {"kElu", Function::Elu},
      {"kLeakyRelu", Function::LeakyRelu}, {"kGeluExact", Function::GeluErf},
  };
  const auto *found = std::find_if(std::begin(modes), std::end(modes),
                                   [&](const Mode &each) { return each.name == mode; });
  return found == std::end(modes) ? std::nullopt : std::optional(found->function);
}

std::optional<ConvolutionCall> readConvolutionCall(std::string_view target, std::string_view config,
                                                   size_t operands) {
  const Target *known = targetOf(target);
  auto convolution = readCallConfiguration(config, "cudnn_conv_backend_config");
  if (!known || !convolution) {
    return std::nullopt;
  }
  ConvolutionCall call;
  call.kind = known->kind;
  call.operands = known->operands;
  if (known->hasSide && operands == known->operands.size() + 1) {
    call.operands.emplace_back("side");
  }
  auto function = functionOf(convolution->getString("activation_mode").value_or("kNone"));
  if (!function || call.operands.size() != operands) {
    return std::nullopt;
  }
  call.function = *function;
  call.scale = convolution->getNumber("conv_result_scale").value_or(1);
  call.sideScale = convolution->getNumber("side_input_scale").value_or(0);
  call.slope = convolution->getNumber("leakyrelu_alpha").value_or(0);
  return call;
}

} // namespace drumlin::hlo
