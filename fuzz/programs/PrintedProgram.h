// Formats lists as in StableHLO's text.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

namespace drumlin::fuzz {

inline std::string itemsText(const std::vector<int64_t> &numbers) {
  std::string text;
  for (int64_t number : numbers) {
    text += (text.empty() ? "" : ", ") + std::to_string(number);
  }
  return text;
}

// `[1, 2]`
inline std::string listText(const std::vector<int64_t> &numbers) {
  return "[" + itemsText(numbers) + "]";
}

// `array<i64: 1, 2>`
inline std::string arrayText(const std::vector<int64_t> &numbers) {
  return numbers.empty() ? "array<i64>" : "array<i64: " + itemsText(numbers) + ">";
}

} // namespace drumlin::fuzz
