// Calls of libraries as formulas.
#pragma once

#include "drumlin/listing/fold/CallFormula.h"

#include <optional>

namespace drumlin::listing {

// Returns nothing for other instructions, and where the call isn't known whole.
std::optional<CallFormula> formulaOf(const Instruction &call);

} // namespace drumlin::listing
