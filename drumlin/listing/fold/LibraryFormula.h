// Describes library calls as formulas.
#pragma once

#include "drumlin/listing/fold/CallFormula.h"

#include <optional>

namespace drumlin::listing {

// Returns the formula of a library call; nullopt for other instructions and for calls that aren't
// completely understood.
std::optional<CallFormula> formulaOf(const Instruction &call);

} // namespace drumlin::listing
