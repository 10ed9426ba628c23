// The shapes of instructions whose text leaves them out: `c = add(a, b)`. XLA's parser infers them
// from the operands, the attributes and the computations that are called.
#pragma once

#include "drumlin/hlo/OperandRules.h"

#include <optional>
#include <string>

namespace drumlin::hlo {

// An instruction whose shape can't be inferred.
struct UnknownShape {
  const Instruction *instruction = nullptr; // of the module
  std::string reason;                       // a sentence, without its place
};

// Gives each instruction without a shape the one that XLA infers; these shapes aren't printed.
// Those that were inferred before are inferred again, so that they follow changes. Stops at the
// first that can't be.
std::optional<UnknownShape> inferShapes(Module &module);

// The shape of an instruction whose operands and called computations have theirs; nothing, and the
// reason, where it can't be inferred.
std::optional<Shape> inferShape(const Instruction &instruction, std::string &reason);

// Of two element types the one that XLA takes where operands have both: a complex one, else the
// float of more range, then of more precision, then the wider, then the signed one.
std::string_view widerElement(std::string_view a, std::string_view b);

} // namespace drumlin::hlo
