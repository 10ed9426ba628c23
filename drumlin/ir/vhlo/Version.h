// Releases of the portable artifact format, from 0.9.0 on. Only releases with a new major or minor
// number change the set of operations, attributes and types.
// Source: the version log of https://openxla.org/stablehlo/vhlo.
#pragma once

#include "llvm/ADT/StringRef.h"

#include <compare>
#include <cstdint>
#include <optional>
#include <string>

namespace drumlin::vhlo {

struct Version {
  uint32_t major = 0;
  uint32_t minor = 0;
  uint32_t patch = 0;

  auto operator<=>(const Version &) const = default;
  // Returns a text such as `1.17.0`.
  std::string str() const;
  // Parses three numbers separated by dots; nothing for any other text.
  static std::optional<Version> parse(llvm::StringRef text);
};

inline constexpr Version oldestVersion{0, 9, 0};
inline constexpr Version newestVersion{1, 20, 0};

// Whether the release is between the oldest and the newest known ones, ignoring the patch number.
bool isKnown(Version version);

// Returns the version of MLIR's bytecode that a known release's artifacts are written in.
int bytecodeVersion(Version version);

// The releases with some feature: `first` to `last`, both included.
struct VersionRange {
  Version first = oldestVersion;
  Version last = newestVersion;
  bool contains(Version version) const { return first <= version && version <= last; }
};

} // namespace drumlin::vhlo
