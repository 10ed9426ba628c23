// Configurations of library calls and kernels, as XLA writes them: JSON of protobuf messages.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace drumlin::listing {

// A field that needn't be printed: with any value, or with this number.
struct KnownField {
  std::string_view name;
  std::optional<int64_t> number = std::nullopt;
};

// Returns the configuration without what says nothing: protobuf's default values, those that XLA
// writes where nothing was chosen, and fields that are known otherwise. Empty where nothing is
// left; the text itself where it is no JSON.
std::string shortConfiguration(std::string_view json, const std::vector<KnownField> &known = {});

} // namespace drumlin::listing
