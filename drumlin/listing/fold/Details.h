// Attributes of operations as expressions have them.
#pragma once

#include "drumlin/listing/Listing.h"

#include <string>
#include <string_view>

namespace drumlin::listing {

// Stands for details that are too long for an expression.
inline constexpr std::string_view longDetails = "[…]";

// Returns `[dimensions={1,0,2}]`: an operation's attributes without those that say nothing (strides
// of 1, no padding); longDetails where they are too long; empty where there are none.
std::string detailsOf(const Instruction &instruction);

} // namespace drumlin::listing
