// Sizes that are linear in one symbol: an argument's dimension of such a size determines the
// symbol.
#pragma once

#include "drumlin/support/SizeExpression.h"

namespace drumlin {

// size = times * symbol + more
struct LinearSize {
  std::string symbol;
  int64_t times = 1, more = 0;
};

// Returns the linear form, or nothing if the size has no symbol, several, or a nonlinear one.
std::optional<LinearSize> asLinear(const SizeExpression &size);

} // namespace drumlin
