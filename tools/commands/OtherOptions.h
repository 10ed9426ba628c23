// Options of other compilers, which people bring along.
#pragma once

#include <optional>
#include <string>
#include <string_view>

namespace drumlin::cli {

// Returns what to write here in place of another compiler's option, or why there is nothing to
// write; nothing if no compiler of the table has the option. `option`: with its dashes, without a
// value.
std::optional<std::string> answerToOtherOption(std::string_view option);

} // namespace drumlin::cli
