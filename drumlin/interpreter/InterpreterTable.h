// The table of operation handlers, looked up by operation name; other dialects (such as the plan)
// add their own.
#pragma once

#include "drumlin/support/Diagnostics.h"
#include "drumlin/support/Tensor.h"

#include "mlir/IR/Operation.h"

#include "llvm/ADT/StringMap.h"

#include <functional>
#include <string>
#include <vector>

namespace drumlin {

class Frame;

// Computes an operation's results from its operands. The handler owns the operand tensors: if
// nothing else uses a tensor, the handler has the only reference to its elements. Handlers run
// regions through the frame.
using OperationHandler =
    std::function<Result<std::vector<Tensor>>(mlir::Operation *, std::vector<Tensor>, Frame &)>;

class InterpreterTable {
public:
  // Adds a handler, or replaces the handler of a name that is already present.
  void add(llvm::StringRef operationName, OperationHandler handler);
  const OperationHandler *find(llvm::StringRef operationName) const;
  std::vector<std::string> names() const; // sorted

private:
  llvm::StringMap<OperationHandler> handlers;
};

} // namespace drumlin
