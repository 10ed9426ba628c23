// The oracle: evaluates programs operation by operation, slowly and obviously. Every numeric test
// compares with it, and the constant folder uses it on single operations.
//
// Operations are looked up by name in a table, so that another dialect (the plan) adds its own.
#pragma once

#include "drumlin/interpreter/kernels/Allocation.h"
#include "drumlin/support/Diagnostics.h"
#include "drumlin/support/HostCall.h"
#include "drumlin/support/Tensor.h"

#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/IR/BuiltinOps.h"
#include "mlir/IR/Operation.h"

#include "llvm/ADT/StringMap.h"

#include <cstdint>
#include <functional>
#include <limits>
#include <span>
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

// func.call and all operations of StableHLO and CHLO that the interpreter knows.
const InterpreterTable &standardOperations();

struct InterpreterOptions {
  interpreter::KernelOptions kernels;
  // The most bytes that all values together may take while the program runs.
  int64_t maxMemory = int64_t{1} << 34;
  // The most operations that may be executed, counting each time a region runs.
  int64_t maxSteps = std::numeric_limits<int64_t>::max();
  const InterpreterTable *table = nullptr; // null: standardOperations()
  // What calls code outside of the program; null: such calls fail with InterpreterUnsupported.
  const HostCaller *hostCaller = nullptr;
};

// The arguments of a function as its phases changed it: those with a layout (ir/plan/Layouts.h) are
// put into the order in which it takes them; and its results are put back.
std::vector<Tensor> inMemoryOrder(mlir::func::FuncOp function, std::span<const Tensor> arguments);
std::vector<Tensor> inProgramOrder(mlir::func::FuncOp function, std::vector<Tensor> results);

// Runs a function. Arguments and results have the program's shapes, whatever layouts a phase gave
// them. The arguments must have its types and shapes (InterpreterArgumentMismatch); a
// tuple is the tensors in it, and a token none. Quantized elements are the integers that they are
// stored as. Other errors: InterpreterUnsupported, InterpreterMemoryLimit, InterpreterStepLimit,
// OutOfMemory, RuntimeShapeMismatch, ProcessGridMismatch, InfeedEmpty, CheckFailed.
Result<std::vector<Tensor>> interpret(mlir::func::FuncOp function,
                                      std::span<const Tensor> arguments,
                                      const InterpreterOptions &options = {});

// The same for `@main`, or a module's only function.
Result<std::vector<Tensor>> interpret(mlir::ModuleOp module, std::span<const Tensor> arguments,
                                      const InterpreterOptions &options = {});

// A single operation on the given operands. Its regions may not use values from outside.
Result<std::vector<Tensor>> evaluate(mlir::Operation *operation, std::span<const Tensor> operands,
                                     const InterpreterOptions &options = {});

} // namespace drumlin
