// Calls of GEMM libraries as formulas.
#pragma once

#include "drumlin/listing/Listing.h"
#include "drumlin/listing/fold/Configuration.h"

#include <optional>
#include <string>
#include <vector>

namespace drumlin::listing {

struct GemmFormula {
  std::string text; // `relu(a_scale * a·bᵀ + bias) where a = x, b = w, a_scale = s, bias = v`
  std::vector<KnownField> said; // fields of the configuration that the text says
};

// Returns nothing for other instructions, and where the call isn't known whole. Scales that are the
// constant 1 aren't factors; all operands are listed with what they are.
std::optional<GemmFormula> gemmFormulaOf(const Instruction &call);

} // namespace drumlin::listing
