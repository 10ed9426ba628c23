// Parses the lists of numbers in window and padding attributes, such as `0_1x2_3_1`. An `x`
// separates dimensions.
#pragma once

#include <cstdint>
#include <optional>
#include <string_view>
#include <vector>

namespace drumlin::hlo {

// Parses `0_1x2_3_1` to {{0, 1}, {2, 3, 1}}; nullopt for any other text.
std::optional<std::vector<std::vector<int64_t>>> parseCrossList(std::string_view text);

} // namespace drumlin::hlo
