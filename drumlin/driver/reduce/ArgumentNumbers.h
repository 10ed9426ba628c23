// Numbers the arguments of the entry function. The reducer drops, merges and adds arguments, so
// each argument of a candidate has the number that it has in the original program.
#pragma once

#include "mlir/IR/BuiltinOps.h"

#include <optional>
#include <vector>

namespace drumlin {

namespace reduce {
// The attribute that holds an argument's number.
inline constexpr llvm::StringLiteral argumentNumber = "drumlin.argument";
} // namespace reduce

// Sets the number of each argument of the entry; candidates keep these numbers.
void numberArguments(mlir::ModuleOp program);

// Removes the numbers from a candidate's arguments. Returns each argument's number in the original
// program; nullopt for an argument that the reducer added.
std::vector<std::optional<unsigned>> takeArgumentNumbers(mlir::ModuleOp candidate);

} // namespace drumlin
