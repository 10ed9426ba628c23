// How often a loop runs, where its counter says so.
#pragma once

#include "drumlin/ir/stablehlo/StablehloOps.h"

#include <optional>

namespace drumlin {

// Follows the loop's condition from its initial values, evaluating only the scalar integers that it
// depends on; in any form of the program, kernels included. Counters that advance by the same
// number at each step aren't followed step by step. Nothing where the condition depends on anything
// else, or where too many steps would have to be followed.
std::optional<int64_t> tripCount(stablehlo::WhileOp loop);

} // namespace drumlin
