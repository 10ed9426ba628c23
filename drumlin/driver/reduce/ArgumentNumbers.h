// Numbers of the entry's arguments: a candidate's arguments are known by those that they have in
// the first program.
#pragma once

#include "mlir/IR/BuiltinOps.h"

#include <optional>
#include <vector>

namespace drumlin {

namespace reduce {
// The attribute of an argument that has its number.
inline constexpr llvm::StringLiteral argumentNumber = "drumlin.argument";
} // namespace reduce

// Puts its number at each argument of the entry, as candidates have it.
void numberArguments(mlir::ModuleOp program);

// Candidates carry a number at each argument of the entry that the first program had. This takes
// the numbers off: for each argument its number in the first program; nothing for one that is new.
std::vector<std::optional<unsigned>> takeArgumentNumbers(mlir::ModuleOp candidate);

} // namespace drumlin
