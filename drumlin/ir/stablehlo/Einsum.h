// What the text of an Einstein summation says.
#pragma once

#include "llvm/ADT/ArrayRef.h"
#include "llvm/ADT/SmallVector.h"
#include "llvm/ADT/StringRef.h"

#include <optional>

namespace drumlin::stablehlo {

// A label for each dimension: a letter or, for those that `...` stands for, the dimension's
// negative distance from the end of the dots. Labels that the result lacks are summed over.
struct Einsum {
  llvm::SmallVector<llvm::SmallVector<int>> operands;
  llvm::SmallVector<int> result;
};

// Reads `ab,bc->ac`; nothing where the text isn't of that form, or its labels don't fit the
// operands' ranks.
std::optional<Einsum> parseEinsum(llvm::StringRef config, llvm::ArrayRef<int64_t> ranks);

} // namespace drumlin::stablehlo
