// The oracle: evaluates programs operation by operation, slowly and obviously. Every numeric test
// compares with it, and the constant folder uses it on single operations.
#pragma once

#include "drumlin/interpreter/InterpreterOptions.h"
#include "drumlin/support/Diagnostics.h"
#include "drumlin/support/Tensor.h"

#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/IR/BuiltinOps.h"
#include "mlir/IR/Operation.h"

#include <span>
#include <vector>

namespace drumlin {

// The arguments of a function as its phases changed it: those with a layout (ir/plan/Layouts.h) are
// put into the order in which it takes them; and its results are put back.
std::vector<Tensor> inMemoryOrder(mlir::func::FuncOp function, std::span<const Tensor> arguments);
std::vector<Tensor> inProgramOrder(mlir::func::FuncOp function, std::vector<Tensor> results);

// Checks that arguments have the function's types (InterpreterArgumentMismatch).
Status checkArguments(mlir::func::FuncOp function, std::span<const Tensor> arguments);

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
