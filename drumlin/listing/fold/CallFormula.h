// The formula that a call of a library is written as, and the texts that such formulas consist of.
#pragma once

#include "drumlin/listing/Listing.h"
#include "drumlin/listing/fold/Configuration.h"

#include <string>
#include <string_view>
#include <vector>

namespace drumlin::listing {

struct CallFormula {
  std::string text;             // `relu(a·bᵀ + bias) where a = x, b = w, bias = v`
  std::vector<KnownField> said; // fields of the configuration that the text says
};

// Returns the shortest text that reads as the same number.
std::string shortestText(double number);

// Returns `0.5 * `, the number as its shortest text; nothing for 1.
std::string factorText(double number);

// Returns `a = x, b = w, a_scale = b_scale = one`: what each operand is by its role; scales that
// are the same value together.
std::string operandsText(const Instruction &call, const std::vector<std::string_view> &roles);

} // namespace drumlin::listing
