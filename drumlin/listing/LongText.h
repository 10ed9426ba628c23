// Texts of thousands of characters, as tables that people read.
#pragma once

#include <string>
#include <string_view>

namespace drumlin::listing {

// In bytes: longer attributes of modules and computations become tables, and longer types of
// computations are cut.
inline constexpr size_t maxHeader = 200;

// Lists the items of a list in brackets, or of the two sides of `(…)->(…)`: equal ones together
// with their positions, in lines that begin with so many spaces and end with a line break:
//
//   0, 2-5  f32[64]{0}
//   1       f32[64,32]{1,0}
//
// If no two are equal, as many as fit stand in a line. Returns an empty text for anything else than
// a list.
std::string tableOf(std::string_view text, size_t indent);

// Returns `(f32[256,64], f32[64], … 23 elements)` for a longer type of a tuple, and other texts as
// they are.
std::string cutType(const std::string &type);

} // namespace drumlin::listing
