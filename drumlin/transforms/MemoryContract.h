// The contract about memory: no value's is given to another one while it is needed.
#pragma once

#include "drumlin/transforms/Violation.h"
#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/IR/SymbolTable.h"

#include <optional>

namespace drumlin {

// Of a function whose values have buffers; `symbols`: those of its module, with its kernels.
std::optional<Violation> checkMemory(mlir::func::FuncOp function, mlir::SymbolTable &symbols);

} // namespace drumlin
