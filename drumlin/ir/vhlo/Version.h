// Releases of the portable artifact format, from 0.9.0 on. A release changes the set of operations,
// attributes and types only in its major and minor number.
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
  // `1.17.0`
  std::string str() const;
  // Three numbers with dots between them; anything else is nothing.
  static std::optional<Version> parse(llvm::StringRef text);
};

inline constexpr Version oldestVersion{0, 9, 0};
inline constexpr Version newestVersion{1, 20, 0};

// Whether this is a release between the oldest and the newest; patches of a release count as it.
bool isKnown(Version version);

// The version of MLIR's bytecode that artifacts of a known release are written in.
int bytecodeVersion(Version version);

// The releases that have something: `first` to `last`, both included.
struct VersionRange {
  Version first = oldestVersion;
  Version last = newestVersion;
  bool contains(Version version) const { return first <= version && version <= last; }
};

} // namespace drumlin::vhlo
