// What the parts of `Editor` share: how messages name a place in a module, and who names whom.
#pragma once

#include "drumlin/hlo/Module.h"
#include "drumlin/support/Diagnostics.h"

namespace drumlin::hlo {

// `%main`, and `%add.1 in %main`.
std::string placeOf(const Computation &computation);
std::string placeOf(const Computation &computation, const Instruction &instruction);

// Fails where text can't have the name, with `%` or without.
Status checkName(std::string_view name, bool percent, const std::string &place);

// Fails where the instruction is another computation's.
Status checkMember(const Computation &computation, const Instruction &instruction);

// Fails where the computation's instructions from `begin` on aren't what their opcodes take.
Status checkInstructions(const Computation &computation, size_t begin);

// Whether an attribute's value names an instruction. The depth is bounded by the parser's limit.
bool namesInstruction(const Value &value, const Instruction &instruction);

} // namespace drumlin::hlo
