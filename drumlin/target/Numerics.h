// How kernels may deviate from the program's arithmetic: a set of named relaxations
// (docs/architecture.md, "Numerics").
#pragma once

#include "drumlin/support/Diagnostics.h"

#include <cstdint>
#include <initializer_list>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace drumlin {

enum class Relaxation : uint8_t {
#define DRUMLIN_RELAXATION(Name, ...) Name,
#include "drumlin/target/Relaxations.def"
};

struct RelaxationInfo {
  Relaxation relaxation;
  std::string_view name;
  bool isDefault;
  std::string_view meaning;
};
std::span<const RelaxationInfo> allRelaxations();
const RelaxationInfo &info(Relaxation relaxation);

class Numerics {
public:
  constexpr Numerics(std::initializer_list<Relaxation> relaxations) {
    for (Relaxation each : relaxations) {
      bits |= bitOf(each);
    }
  }

  // Named sets.
  static const Numerics Default, Strict;

  constexpr bool allows(Relaxation relaxation) const { return (bits & bitOf(relaxation)) != 0; }
  constexpr Numerics with(Numerics others) const { return Numerics(bits | others.bits); }
  constexpr bool operator==(const Numerics &) const = default;

  // Returns the names of the set's relaxations, in the table's order.
  std::vector<std::string_view> names() const;
  // Returns `strict`, `default`, or else the comma-separated names of all relaxations in the
  // table's order.
  std::string str() const;

private:
  constexpr explicit Numerics(uint32_t bits) : bits(bits) {}
  static constexpr uint32_t bitOf(Relaxation each) { return 1u << static_cast<uint32_t>(each); }

  uint32_t bits = 0;
};

inline constexpr Numerics Numerics::Strict = {};
inline constexpr Numerics Numerics::Default = [] {
  Numerics made = {};
#define DRUMLIN_RELAXATION(Name, name, isDefault, ...)                                             \
  if (isDefault) {                                                                                 \
    made = made.with({Relaxation::Name});                                                          \
  }
#include "drumlin/target/Relaxations.def"
  return made;
}();

// Returns all words that `--numerics` takes: the names of sets, then the names of relaxations.
std::span<const std::string_view> numericsWords();
// Parses comma-separated words and returns the union of their relaxations. Fails with
// CommandLineInvalid.
Result<Numerics> numericsFromText(std::string_view text);

} // namespace drumlin
