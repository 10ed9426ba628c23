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

// Returns the linear form of a size. Returns nothing if the size has no symbol, has several
// symbols, or isn't linear in its symbol.
std::optional<LinearSize> asLinear(const SizeExpression &size);

} // namespace drumlin
