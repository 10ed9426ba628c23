// Helpers that the source files of `Editor` share: locations for diagnostics, and checks.
#pragma once

#include "drumlin/hlo/Module.h"
#include "drumlin/support/Diagnostics.h"

namespace drumlin::hlo {

// Return the location that a diagnostic gives: `%main` for a computation, `%add.1 in %main` for an
// instruction.
std::string placeOf(const Computation &computation);
std::string placeOf(const Computation &computation, const Instruction &instruction);

// Fails if the name isn't valid in HLO text. `percent`: whether the name is written with a `%`.
Status checkName(std::string_view name, bool percent, const std::string &place);

// Fails unless the instruction is in the computation.
Status checkMember(const Computation &computation, const Instruction &instruction);

// Fails if an instruction at index `begin` or later violates its opcode's rules (OperandRules.h).
Status checkInstructions(const Computation &computation, size_t begin);

// Whether an attribute's value names the instruction. Recursive; the parser limits the nesting of
// values.
bool namesInstruction(const Value &value, const Instruction &instruction);

} // namespace drumlin::hlo
