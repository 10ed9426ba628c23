// The rules of XLA's opcodes (Opcodes.def): how many operands each has, and how the shapes of its
// operands and its result are related.
#pragma once

#include "drumlin/hlo/Module.h"
#include "drumlin/support/Diagnostics.h"

#include <span>

namespace drumlin::hlo {

enum class ShapeRule : uint8_t {
#define DRUMLIN_SHAPES(Name, equation) Name,
#include "drumlin/hlo/Opcodes.def"
};

// The rule that computes a result's shape if the text leaves it out.
enum class InferenceRule : uint8_t {
#define DRUMLIN_INFERENCE(Name) Name,
#include "drumlin/hlo/Opcodes.def"
};

struct OperandRule {
  static constexpr uint8_t any = UINT8_MAX;

  std::string_view opcode;
  uint8_t least, most;
  ShapeRule shapes;
  InferenceRule inference;
};

std::span<const OperandRule> operandRules();
// Returns the rule of an opcode, or null if XLA has no such opcode.
const OperandRule *findOperandRule(std::string_view opcode);
// Returns the rule in words, as a remedy for error messages.
std::string_view equationOf(ShapeRule shapes);

// Fails if the opcode doesn't exist. Accepts asynchronous opcodes such as `fusion-start`.
Status checkOpcode(std::string_view opcode, const std::string &place);
// Check an instruction against its opcode's rule. If `operands` are given, they replace the
// instruction's own operands in the check. Unknown opcodes pass. As in XLA, float element types may
// differ, and dynamic sizes match any size.
Status checkOperands(const Instruction &instruction, std::span<Instruction *const> operands,
                     const std::string &place);
Status checkOperands(const Instruction &instruction, const std::string &place);

} // namespace drumlin::hlo
