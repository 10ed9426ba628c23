// Helps people who give options of other compilers.
#pragma once

#include <optional>
#include <string>
#include <string_view>

namespace drumlin::cli {

// Returns what to write instead of another compiler's option, or why Drumlin has no counterpart.
// Returns nullopt if no compiler in the table has the option. `option` has dashes and no value.
std::optional<std::string> answerToOtherOption(std::string_view option);

} // namespace drumlin::cli
