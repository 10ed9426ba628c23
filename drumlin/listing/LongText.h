// Formats texts of thousands of characters as readable tables.
#pragma once

#include <string>
#include <string_view>

namespace drumlin::listing {

// Maximum length in bytes of a text in the header of a module or a computation. Longer attributes
// are printed as tables, and longer types of computations are shortened.
inline constexpr size_t maxHeader = 200;

// Returns the items of a list in brackets, or of both sides of `(…)->(…)`, as lines indented by
// `indent` spaces. Equal items share a line with all their positions:
//
//   0, 2-5  f32[64]{0}
//   1       f32[64,32]{1,0}
//
// If all items differ, each line has as many items as fit. Returns an empty text if the text isn't
// a list.
std::string tableOf(std::string_view text, size_t indent);

// Shortens a long tuple type to `(f32[256,64], f32[64], … 23 elements)`; returns other texts
// unchanged.
std::string cutType(const std::string &type);

} // namespace drumlin::listing
