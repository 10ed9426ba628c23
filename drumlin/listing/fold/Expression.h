// What a computation's results are, as an expression of its parameters.
#pragma once

#include "drumlin/listing/Listing.h"

namespace drumlin::listing {

// `gelu(x·w + b)`: known functions by name, products of matrices as `·`, parts that occur several
// times behind `where`; data movement other than transposes is left out, and `…` stands for what
// would make the text longer than people read. `arguments`: what to write for each parameter.
std::string expressionOf(const Computation &computation, const std::vector<std::string> &arguments);

// As it is written in an expression: `x`, but `%5` and `%a-b`.
std::string argumentName(const std::string &name);

} // namespace drumlin::listing
