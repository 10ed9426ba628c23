// The handlers that evaluate operations. Operations are looked up by name in a table, so that
// another dialect (the plan) adds its own.
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

// Gives an operation's results from its operands. The operands are the handler's own: those that
// nothing else uses hold the only reference to their elements. Regions are run through the frame.
using OperationHandler =
    std::function<Result<std::vector<Tensor>>(mlir::Operation *, std::vector<Tensor>, Frame &)>;

class InterpreterTable {
public:
  // A name that is there already gets the new handler.
  void add(llvm::StringRef operationName, OperationHandler handler);
  const OperationHandler *find(llvm::StringRef operationName) const;
  std::vector<std::string> names() const; // sorted

private:
  llvm::StringMap<OperationHandler> handlers;
};

} // namespace drumlin
