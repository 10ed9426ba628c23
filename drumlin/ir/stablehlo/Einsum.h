// The parsed text of an Einstein summation.
#pragma once

#include "llvm/ADT/ArrayRef.h"
#include "llvm/ADT/SmallVector.h"
#include "llvm/ADT/StringRef.h"

#include <optional>

namespace drumlin::stablehlo {

// One label per dimension: a letter or, for dimensions that `...` stands for, a negative number
// that counts from the last of these dimensions. Products of elements are summed over all labels
// that the result lacks.
struct Einsum {
  llvm::SmallVector<llvm::SmallVector<int>> operands;
  llvm::SmallVector<int> result;
};

// Parses `ab,bc->ac`; nothing if the text is malformed, or if its labels do not fit the operands'
// ranks.
std::optional<Einsum> parseEinsum(llvm::StringRef config, llvm::ArrayRef<int64_t> ranks);

} // namespace drumlin::stablehlo
