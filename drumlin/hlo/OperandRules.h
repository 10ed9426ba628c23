// What each of XLA's opcodes takes (Opcodes.def): whether there is such an opcode, how many
// operands it has, and, where that follows from them, the shape of its result.
#pragma once

#include "drumlin/hlo/Module.h"
#include "drumlin/support/Diagnostics.h"

#include <span>

namespace drumlin::hlo {

enum class ShapeRule : uint8_t {
#define DRUMLIN_SHAPES(Name, equation) Name,
#include "drumlin/hlo/Opcodes.def"
};

// Where a result's shape comes from that the text leaves out.
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
// Null where there is no such opcode.
const OperandRule *findOperandRule(std::string_view opcode);
// What users are told of the rule.
std::string_view equationOf(ShapeRule shapes);

// Also of an asynchronous operation in one word: `fusion-start`.
Status checkOpcode(std::string_view opcode, const std::string &place);
// Of an instruction with these operands, of whatever opcode; those that are there are its own.
// Element types of floats may differ, as in XLA; sizes that aren't known agree with all.
Status checkOperands(const Instruction &instruction, std::span<Instruction *const> operands,
                     const std::string &place);
Status checkOperands(const Instruction &instruction, const std::string &place);

} // namespace drumlin::hlo
