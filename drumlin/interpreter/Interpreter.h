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

// Permute the elements of arguments or results if the function's values have layouts
// (ir/plan/Layouts.h): from the program's dimension order into memory order, and back.
std::vector<Tensor> inMemoryOrder(mlir::func::FuncOp function, std::span<const Tensor> arguments);
std::vector<Tensor> inProgramOrder(mlir::func::FuncOp function, std::vector<Tensor> results);

// Checks that arguments have the function's types (InterpreterArgumentMismatch).
Status checkArguments(mlir::func::FuncOp function, std::span<const Tensor> arguments);

// Runs a function. Arguments and results have the program's shapes, whatever layouts a phase gave
// them. Arguments must match the function's types and shapes (InterpreterArgumentMismatch); a tuple
// is passed as the tensors in it, and a token as none. Quantized elements are passed as their
// stored integers. Other errors: InterpreterUnsupported, InterpreterMemoryLimit,
// InterpreterStepLimit, OutOfMemory, RuntimeShapeMismatch, ProcessGridMismatch, InfeedEmpty,
// CheckFailed.
Result<std::vector<Tensor>> interpret(mlir::func::FuncOp function,
                                      std::span<const Tensor> arguments,
                                      const InterpreterOptions &options = {});

// Runs `@main`, or a module's only function.
Result<std::vector<Tensor>> interpret(mlir::ModuleOp module, std::span<const Tensor> arguments,
                                      const InterpreterOptions &options = {});

// Evaluates a single operation on the given operands. Its regions may not use outside values.
Result<std::vector<Tensor>> evaluate(mlir::Operation *operation, std::span<const Tensor> operands,
                                     const InterpreterOptions &options = {});

} // namespace drumlin
