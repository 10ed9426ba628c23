#include "drumlin/listing/fold/LibraryFormula.h"

#include "drumlin/hlo/library/AttentionCall.h"
#include "drumlin/hlo/library/ConvolutionCall.h"
#include "drumlin/listing/fold/FunctionFinder.h"
#include "drumlin/listing/fold/GemmFormula.h"

#include "llvm/Support/ErrorHandling.h"

namespace drumlin::listing {

using hlo::AttentionCall;
using hlo::ConvolutionCall;

static std::string_view withoutQuotes(std::string_view text) {
  bool isQuoted = text.size() >= 2 && text.front() == '"' && text.back() == '"';
  return isQuoted ? text.substr(1, text.size() - 2) : text;
}

static std::string applied(const ConvolutionCall &call, const std::string &to) {
  using Function = ConvolutionCall::Function;
  switch (call.function) {
  case Function::None:
    return to;
  case Function::Sigmoid:
    return "sigmoid(" + to + ")";
  case Function::Relu:
    return "relu(" + to + ")";
  case Function::Relu6:
    return "relu6(" + to + ")";
  case Function::Tanh:
    return "tanh(" + to + ")";
  case Function::Elu:
    return "elu(" + to + ")";
  case Function::LeakyRelu:
    return "leaky_relu(" + to + ", " + shortestText(call.slope) + ")";
  case Function::GeluErf:
    return "gelu_erf(" + to + ")";
  }
  llvm_unreachable("a function of the enumeration");
}

static std::string convolutionText(ConvolutionCall::Kind kind) {
  switch (kind) {
  case ConvolutionCall::Kind::Forward:
    return "conv(x, w)";
  case ConvolutionCall::Kind::InputGradient:
    return "conv_input_gradient(dy, w)";
  case ConvolutionCall::Kind::FilterGradient:
    return "conv_filter_gradient(x, dy)";
  }
  llvm_unreachable("a kind of the enumeration");
}

// Returns a convolution's formula. The dimensions and the window aren't in the formula; the call's
// attributes state them.
static CallFormula convolutionFormula(const Instruction &instruction, const ConvolutionCall &call) {
  std::string sum = factorText(call.scale) + convolutionText(call.kind);
  for (std::string_view role : call.operands) {
    if (role == "side") {
      sum += " + " + factorText(call.sideScale) + "side";
    }
  }
  for (std::string_view role : call.operands) {
    sum += role == "bias" ? " + bias" : "";
  }
  CallFormula formula;
  formula.text = applied(call, sum) + " where " + operandsText(instruction, call.operands);
  formula.said = {
      {"activation_mode"}, {"conv_result_scale"}, {"side_input_scale"}, {"leakyrelu_alpha"}};
  return formula;
}

static CallFormula attentionFormula(const Instruction &instruction, const AttentionCall &call) {
  std::string scores = factorText(call.scale) + "q·kᵀ";
  scores += call.operands.size() == 4 ? " + bias" : "";
  scores = call.isCausal ? "causal_mask(" + scores + ")" : scores;
  CallFormula formula;
  formula.text = "softmax(" + scores + ")·v where " + operandsText(instruction, call.operands) +
                 ", heads along dimension " + std::to_string(call.headDimension);
  // Attention scores are never stored, and their shape follows from the operands' shapes.
  formula.said = {{"fmha_scale"},
                  {"mask_type"},
                  {"is_causal_mask"},
                  {"bmm1_dot_dimension_numbers"},
                  {"bmm2_dot_dimension_numbers"},
                  {"intermediate_tensor_shape"}};
  return formula;
}

std::optional<CallFormula> formulaOf(const Instruction &call) {
  if (call.opcode != "custom-call") {
    return std::nullopt;
  }
  std::string_view target = withoutQuotes(attributeText(call, "custom_call_target"));
  std::string_view configuration = attributeText(call, "backend_config");
  size_t operands = call.operands.size();
  if (auto gemm = hlo::readGemmCall(target, configuration, operands)) {
    return gemmFormula(call, *gemm);
  }
  if (auto convolution = hlo::readConvolutionCall(target, configuration, operands)) {
    return convolutionFormula(call, *convolution);
  }
  if (auto attention = hlo::readAttentionCall(target, configuration, operands)) {
    return attentionFormula(call, *attention);
  }
  return std::nullopt;
}

} // namespace drumlin::listing
