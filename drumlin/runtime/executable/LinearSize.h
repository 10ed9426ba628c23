// Sizes that are linear in one symbol: those that an argument's dimension gives the symbol by.
#pragma once

#include "drumlin/support/SizeExpression.h"

namespace drumlin {

// size = times * symbol + more
struct LinearSize {
  std::string symbol;
  int64_t times = 1, more = 0;
};

// Returns nothing for sizes of no or several symbols, or in which the symbol isn't linear.
std::optional<LinearSize> asLinear(const SizeExpression &size);

} // namespace drumlin
