// `0_1x2_3_1`: the numbers that windows and padding write for each dimension.
#pragma once

#include <cstdint>
#include <optional>
#include <string_view>
#include <vector>

namespace drumlin::hlo {

// {{0, 1}, {2, 3, 1}}; nothing for other texts.
std::optional<std::vector<std::vector<int64_t>>> parseCrossList(std::string_view text);

} // namespace drumlin::hlo
