// The parsed text of an Einstein summation.
#pragma once

#include "llvm/ADT/ArrayRef.h"
#include "llvm/ADT/SmallVector.h"
#include "llvm/ADT/StringRef.h"

#include <optional>

namespace drumlin::stablehlo {

// One label per dimension: a letter or, for dimensions covered by `...`, the negative distance from
// the end of the dots. Labels that are missing in the result are summed over.
struct Einsum {
  llvm::SmallVector<llvm::SmallVector<int>> operands;
  llvm::SmallVector<int> result;
};

// Parses `ab,bc->ac`; nothing if the text is malformed, or if its labels do not fit the operands'
// ranks.
std::optional<Einsum> parseEinsum(llvm::StringRef config, llvm::ArrayRef<int64_t> ranks);

} // namespace drumlin::stablehlo
