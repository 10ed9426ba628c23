// Describes a computation's results as an expression of its parameters.
#pragma once

#include "drumlin/listing/Listing.h"

namespace drumlin::listing {

struct Expression {
  std::string text;
  bool isWhole = true; // no part was replaced with `…`
};

// Returns an expression such as `gelu(x·w + b)`. Known functions are printed by name, matrix
// products are `·`, and repeated parts are defined after `where`. Reshapes, bitcasts and copies are
// left out, and `…` replaces parts that would make the text too long. Broadcasts have an index as
// in NumPy, such as `b[:, None]`, unless all new dimensions precede the operand's. `arguments`: the
// text for each parameter.
Expression expressionOf(const Computation &computation, const std::vector<std::string> &arguments);

// Returns a name as printed in an expression: `x` for an identifier, but `%5` and `%a-b`.
std::string argumentName(const std::string &name);

} // namespace drumlin::listing
