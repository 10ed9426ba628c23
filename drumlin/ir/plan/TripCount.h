// Trip counts of loops that are determined by a counter.
#pragma once

#include <optional>

namespace drumlin::stablehlo {
class WhileOp;
}

namespace drumlin {

// Returns the trip count of a loop, before or after the program is divided into kernels. Evaluates
// the loop's condition, starting with the initial values of the scalar integers on which it
// depends. Counters that change by a constant per step are not simulated step by step. Returns
// nothing if the condition depends on anything but scalar integers, or if too many steps would have
// to be simulated.
std::optional<int64_t> tripCount(stablehlo::WhileOp loop);

} // namespace drumlin
