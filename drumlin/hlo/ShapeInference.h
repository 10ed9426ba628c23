// Infers the shapes of instructions whose text leaves them out: `c = add(a, b)`. As in XLA's
// parser, the shapes follow from the operands, the attributes and the called computations.
#pragma once

#include "drumlin/hlo/OperandRules.h"

#include <optional>
#include <string>

namespace drumlin::hlo {

// An instruction whose shape can't be inferred.
struct UnknownShape {
  const Instruction *instruction = nullptr; // an instruction of the module
  std::string reason;                       // a sentence, without the location in the module
};

// Infers the shapes of all instructions whose text leaves them out, as XLA does. Inferred shapes
// aren't printed. Shapes from an earlier inference are inferred again, so that they follow changes
// of the module. Returns the first instruction whose shape can't be inferred, if any.
std::optional<UnknownShape> inferShapes(Module &module);

// Returns the shape of an instruction whose operands and called computations have shapes; nullopt,
// with the reason, if it can't be inferred.
std::optional<Shape> inferShape(const Instruction &instruction, std::string &reason);

// Returns the element type that XLA infers for two operands of the types `a` and `b`. XLA prefers,
// in this order: a complex type, the larger float range, the higher precision, more bits, the
// signed type.
std::string_view widerElement(std::string_view a, std::string_view b);

} // namespace drumlin::hlo
