// Answers to options of other compilers, which people are used to.
#pragma once

#include <optional>
#include <string>
#include <string_view>

namespace drumlin::cli {

// Returns what to write instead of another compiler's option, or why there is no counterpart;
// nullopt if no compiler in the table has the option. `option`: with its dashes, without a value.
std::optional<std::string> answerToOtherOption(std::string_view option);

} // namespace drumlin::cli
