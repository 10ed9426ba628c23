// The function that callers run.
#pragma once

#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/IR/BuiltinOps.h"

#include "drumlin/ir/plan/Entry.h"
#include <string>

namespace drumlin {

// `@main`, or the only function; null if a module has neither, which import refuses.
mlir::func::FuncOp entryFunction(mlir::ModuleOp module);

// The name in the argument's location; `arg3` where it has none.
std::string argumentName(mlir::BlockArgument argument);

} // namespace drumlin
