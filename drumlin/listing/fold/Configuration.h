// Shortens XLA's configurations of library calls and kernels, which are protobuf messages as JSON.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace drumlin::listing {

// A field that needn't be printed if its value is `number`. If `number` is nullopt, the field
// needn't be printed whatever its value is.
struct KnownField {
  std::string_view name;
  std::optional<int64_t> number = std::nullopt;
};

// Returns the configuration without protobuf's default values, XLA's defaults and known fields.
// Empty if nothing remains; the text itself if it isn't JSON.
std::string shortConfiguration(std::string_view json, const std::vector<KnownField> &known = {});

} // namespace drumlin::listing
