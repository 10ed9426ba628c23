// The function that callers run.
#pragma once

#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/IR/BuiltinOps.h"

#include <string>
#include <vector>

namespace drumlin {

// `@main`, or the only function; null if a module has neither, which import refuses.
mlir::func::FuncOp entryFunction(mlir::ModuleOp module);

// On an argument of the entry whose number isn't that of the program as it was given, since weights
// have moved: that number.
inline constexpr llvm::StringLiteral programNumberAttribute = "plan.program_number";

// Returns the number by which options name the argument.
unsigned programNumber(mlir::BlockArgument argument);

// The name in the argument's location; `arg3` where it has none.
std::string argumentName(mlir::BlockArgument argument);

// Returns `params.layers.0.w` for `params['layers'][0].w`.
std::string dottedName(llvm::StringRef name);

// Returns the names that files of weights and options may use for the argument: its name, that name
// dotted, and `in3`.
std::vector<std::string> namesOfArgument(mlir::BlockArgument argument);

// An argument's name, if it is one word that no other argument has, else its number. Numbers are
// those of the program as it is now; names are the caller's, wherever weights were moved.
struct ArgumentText {
  std::string option; // `params.w`, `3`
  std::string text;   // "argument `params.w`", "argument 3"
};
ArgumentText argumentText(mlir::BlockArgument argument);

} // namespace drumlin
