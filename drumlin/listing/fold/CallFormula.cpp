#include "drumlin/listing/fold/CallFormula.h"

#include "drumlin/listing/TextPrinter.h"
#include "drumlin/listing/fold/Expression.h"

#include <charconv>

namespace drumlin::listing {

std::string shortestText(double number) {
  char text[32];
  return {text, std::to_chars(text, text + sizeof text, number).ptr};
}

std::string factorText(double number) {
  return number == 1 ? std::string() : shortestText(number) + " * ";
}

std::string operandsText(const Instruction &call, const std::vector<std::string_view> &roles) {
  std::string text;
  std::vector<bool> isWritten(roles.size());
  for (size_t i = 0; i < roles.size(); ++i) {
    if (isWritten[i]) {
      continue;
    }
    text += text.empty() ? "" : ", ";
    for (size_t j = i; j < roles.size(); ++j) {
      const Operand &operand = call.operands[j];
      bool isSame = operand.instruction == call.operands[i].instruction &&
                    operand.result == call.operands[i].result;
      bool isTogether = j == i || (roles[i].ends_with("_scale") && roles[j].ends_with("_scale"));
      if (isSame && isTogether) {
        text += std::string(roles[j]) + " = ";
        isWritten[j] = true;
      }
    }
    text += argumentName(nameOf(call.operands[i]).substr(1));
  }
  return text;
}

} // namespace drumlin::listing
