// Formats JSON for human readers, without changing numbers or the order of keys.
#pragma once

#include <string>
#include <string_view>

namespace drumlin::listing {

// Whether a text is a valid JSON object or array.
bool isJsonBlock(std::string_view text);

// Formats a valid JSON value. Values that fit into a line of `width` columns stay on one line.
// Other values are split into lines, which are indented by two more columns. `indent`: the
// indentation of the line where the value begins.
std::string indentedJson(std::string_view text, size_t indent, size_t width = 100);

} // namespace drumlin::listing
