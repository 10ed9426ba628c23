// What a computation's results are, as an expression of its parameters.
#pragma once

#include "drumlin/listing/Listing.h"

namespace drumlin::listing {

struct Expression {
  std::string text;
  bool isWhole = true; // no part is left out as `…`
};

// `gelu(x·w + b)`: known functions by name, products of matrices as `·`, parts that occur several
// times behind `where`; reshapes, bitcasts and copies are left out, and `…` stands for what would
// make the text longer than people read. `b[:, None]` is broadcast along other dimensions than
// those in front, as in NumPy. `arguments`: what to write for each parameter.
Expression expressionOf(const Computation &computation, const std::vector<std::string> &arguments);

// As it is written in an expression: `x`, but `%5` and `%a-b`.
std::string argumentName(const std::string &name);

} // namespace drumlin::listing
