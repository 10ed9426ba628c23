// The entry function of a program.
#pragma once

#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/IR/BuiltinOps.h"

#include <string>
#include <vector>

namespace drumlin {

// Returns `@main`, or the only function; null if a module has neither, which import refuses.
mlir::func::FuncOp entryFunction(mlir::ModuleOp module);

// Attribute of an entry argument whose number differs from that in the original program because
// weights were moved: the original number.
inline constexpr llvm::StringLiteral programNumberAttribute = "plan.program_number";

// Returns the number of the argument in the original program, which options use.
unsigned programNumber(mlir::BlockArgument argument);

// Returns the name in the argument's location, or `arg3` if it has none.
std::string argumentName(mlir::BlockArgument argument);

// Returns `params.layers.0.w` for `params['layers'][0].w`.
std::string dottedName(llvm::StringRef name);

// Returns the names that weight files and options may use for the argument: its name, the dotted
// form of the name, and `in3`.
std::vector<std::string> namesOfArgument(mlir::BlockArgument argument);

// Text that identifies an argument: its name if this is one word that no other argument has, else
// its number. Numbers are those of the current program; names are the caller's, even if weights
// were moved.
struct ArgumentText {
  std::string option; // `params.w`, `3`
  std::string text;   // "argument `params.w`", "argument 3"
};
ArgumentText argumentText(mlir::BlockArgument argument);

} // namespace drumlin
