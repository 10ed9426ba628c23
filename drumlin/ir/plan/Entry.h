// The entry function of a program.
#pragma once

#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/IR/BuiltinOps.h"

#include <string>
#include <vector>

namespace drumlin {

// Returns `@main` or, without `@main`, the only function of the module. Returns null if the module
// has neither; import rejects such modules.
mlir::func::FuncOp entryFunction(mlir::ModuleOp module);

// Attribute with the number of an entry argument in the original program. An argument has this
// attribute only if its number changed because weights were moved.
inline constexpr llvm::StringLiteral programNumberAttribute = "plan.program_number";

// Returns the number of the argument in the original program; options use this number.
unsigned programNumber(mlir::BlockArgument argument);

// Returns the name in the argument's location, or `arg3` if it has none.
std::string argumentName(mlir::BlockArgument argument);

// Returns `params.layers.0.w` for `params['layers'][0].w`.
std::string dottedName(llvm::StringRef name);

// Returns the names that weight files and options may use for the argument: its name, the dotted
// form of the name, and `in3`.
std::vector<std::string> namesOfArgument(mlir::BlockArgument argument);

// Text that identifies an argument: its name if this is a single word and no other argument has it,
// else its number. A number is the argument's number in the current program. Moving weights does
// not change names.
struct ArgumentText {
  std::string option; // `params.w`, `3`
  std::string text;   // "argument `params.w`", "argument 3"
};
ArgumentText argumentText(mlir::BlockArgument argument);

} // namespace drumlin
