// The formula of a library call, and helpers to build formulas.
#pragma once

#include "drumlin/listing/Listing.h"
#include "drumlin/listing/fold/Configuration.h"

#include <string>
#include <string_view>
#include <vector>

namespace drumlin::listing {

struct CallFormula {
  std::string text;             // `relu(a·bᵀ + bias) where a = x, b = w, bias = v`
  std::vector<KnownField> said; // configuration fields that the text implies
};

// Returns the shortest text that parses to the same number.
std::string shortestText(double number);

// Returns a factor such as `0.5 * `, with the number's shortest text; empty for 1.
std::string factorText(double number);

// Returns the operands by their roles: `a = x, b = w, a_scale = b_scale = one`. Scales with the
// same value are combined.
std::string operandsText(const Instruction &call, const std::vector<std::string_view> &roles);

} // namespace drumlin::listing
