// The memory contract: the memory of a value isn't given to another value while the first value is
// still needed.
#pragma once

#include "drumlin/transforms/Violation.h"
#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/IR/SymbolTable.h"

#include <optional>

namespace drumlin {

// Checks a function whose values have buffers. `symbols` is the symbol table of its module, which
// contains the kernels.
std::optional<Violation> checkMemory(mlir::func::FuncOp function, mlir::SymbolTable &symbols);

} // namespace drumlin
