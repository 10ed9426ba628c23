// Formats the attributes of operations in expressions.
#pragma once

#include "drumlin/listing/Listing.h"

#include <string>
#include <string_view>

namespace drumlin::listing {

// The text that replaces details that are too long for an expression.
inline constexpr std::string_view longDetails = "[…]";

// Returns an operation's attributes, such as `[dimensions={1,0,2}]`, without defaults (strides of
// 1, no padding); longDetails if they are too long; empty if there are none.
std::string detailsOf(const Instruction &instruction);

} // namespace drumlin::listing
