#include "drumlin/interpreter/Interpreter.h"
#include "drumlin/interpreter/Frame.h"
#include "drumlin/interpreter/QuantizedExecution.h"
#include "drumlin/interpreter/ValueTypes.h"
#include "drumlin/ir/plan/ElidedConstants.h"
#include "drumlin/ir/plan/Layouts.h"
#include "drumlin/support/diagnostics/InterpreterErrors.h"

#include <algorithm>

namespace drumlin {

static std::string describe(mlir::Type type) {
  std::string text;
  llvm::raw_string_ostream stream(text);
  stream << type;
  return text;
}

static Status checkArguments(mlir::TypeRange given, std::span<const Tensor> arguments,
                             const std::string &location) {
  std::optional<TensorTypes> types = tensorTypesOf(given);
  if (!types || types->size() != arguments.size()) {
    return diagnose(errors::InterpreterArgumentMismatch,
                    std::to_string(arguments.size()) + " arguments were passed, expected " +
                        std::to_string(types ? types->size() : given.size()),
                    location);
  }
  for (size_t i = 0; i < arguments.size(); ++i) {
    if (!isValueOf(arguments[i], (*types)[i])) {
      return diagnose(errors::InterpreterArgumentMismatch,
                      "argument " + std::to_string(i) + " is " + str(arguments[i]) +
                          ", expected `" + describe((*types)[i]) + "`",
                      location);
    }
  }
  return Done{};
}

Status checkArguments(mlir::func::FuncOp function, std::span<const Tensor> arguments) {
  if (std::string place = elidedConstantOf(function); !place.empty()) {
    return elidedConstant(place);
  }
  return checkArguments(function.getArgumentTypes(), arguments, locationText(function.getLoc()));
}

std::vector<Tensor> inMemoryOrder(mlir::func::FuncOp function, std::span<const Tensor> arguments) {
  std::vector<Tensor> made(arguments.begin(), arguments.end());
  for (unsigned i = 0; i < std::min<size_t>(made.size(), function.getNumArguments()); ++i) {
    if (function.getArgAttr(i, complexAttribute) && isComplex(made[i].type())) {
      made[i] = complexParts(made[i]);
    }
    std::optional<BlockedLayout> layout = argumentLayout(function, i);
    // An argument of another shape is the caller's error, reported by checkArguments.
    if (layout && layout->shape == made[i].shape()) {
      made[i] = toPhysical(made[i], *layout);
    }
  }
  return made;
}

std::vector<Tensor> inProgramOrder(mlir::func::FuncOp function, std::vector<Tensor> results) {
  for (unsigned i = 0; i < std::min<size_t>(results.size(), function.getNumResults()); ++i) {
    if (std::optional<BlockedLayout> layout = resultLayout(function, i)) {
      results[i] = fromPhysical(results[i], layout->order);
    }
    if (function.getResultAttr(i, complexAttribute)) {
      results[i] = fromComplexParts(results[i]);
    }
  }
  return results;
}

Result<std::vector<Tensor>> interpret(mlir::func::FuncOp function, std::span<const Tensor> given,
                                      const InterpreterOptions &options) {
  std::vector<Tensor> arguments = inMemoryOrder(function, given);
  if (Status fits = checkArguments(function, arguments); !fits) {
    return fits.error();
  }
  ProcessGrid grid({}, {});
  Execution execution(options, grid, {});
  Frame frame(execution);
  Result<std::vector<Tensor>> results = frame.call(function, std::move(arguments));
  return results ? Result<std::vector<Tensor>>(inProgramOrder(function, std::move(*results)))
                 : results;
}

Result<std::vector<Tensor>> interpret(mlir::ModuleOp module, std::span<const Tensor> arguments,
                                      const InterpreterOptions &options) {
  auto function = module.lookupSymbol<mlir::func::FuncOp>("main");
  if (!function) {
    auto functions = module.getOps<mlir::func::FuncOp>();
    if (functions.empty() || std::next(functions.begin()) != functions.end()) {
      return diagnose(errors::InterpreterUnsupported, "the module has no function `@main`",
                      locationText(module.getLoc()));
    }
    function = *functions.begin();
  }
  return interpret(function, arguments, options);
}

Result<std::vector<Tensor>> evaluate(mlir::Operation *operation, std::span<const Tensor> operands,
                                     const InterpreterOptions &options) {
  Status fits =
      checkArguments(operation->getOperandTypes(), operands, locationText(operation->getLoc()));
  if (!fits) {
    return fits.error();
  }
  ProcessGrid grid({}, {});
  Execution execution(options, grid, {});
  Frame frame(execution);
  return frame.execute(operation, execution.table.find(operation->getName().getStringRef()),
                       computesOnExpressedNumbers(operation),
                       std::vector<Tensor>(operands.begin(), operands.end()));
}

} // namespace drumlin
