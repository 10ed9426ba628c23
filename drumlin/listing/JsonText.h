// JSON texts as people read them, without a change to numbers or to the order of keys.
#pragma once

#include <string>
#include <string_view>

namespace drumlin::listing {

// Whether it is an object or an array of valid JSON.
bool isJsonBlock(std::string_view text);

// The text of a valid value: what fits into a line of `width` columns stays on one, everything else
// is broken and indented by two more. `indent`: of the line that it begins on.
std::string indentedJson(std::string_view text, size_t indent, size_t width = 100);

} // namespace drumlin::listing
