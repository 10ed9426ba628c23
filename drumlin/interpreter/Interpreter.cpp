#include "drumlin/interpreter/Interpreter.h"
#include "drumlin/interpreter/Frame.h"
#include "drumlin/interpreter/Handlers.h"
#include "drumlin/ir/stablehlo/StablehloTypes.h"

#include <algorithm>

namespace drumlin {

void InterpreterTable::add(llvm::StringRef operationName, OperationHandler handler) {
  handlers[operationName] = std::move(handler);
}

const OperationHandler *InterpreterTable::find(llvm::StringRef operationName) const {
  auto found = handlers.find(operationName);
  return found == handlers.end() ? nullptr : &found->second;
}

std::vector<std::string> InterpreterTable::names() const {
  std::vector<std::string> names;
  for (llvm::StringRef name : handlers.keys()) {
    names.push_back(name.str());
  }
  std::sort(names.begin(), names.end());
  return names;
}

static InterpreterTable makeStandardOperations() {
  InterpreterTable table;
  interpreter::addElementwiseHandlers(table);
  interpreter::addShapeHandlers(table);
  interpreter::addContractionHandlers(table);
  interpreter::addReductionHandlers(table);
  interpreter::addControlHandlers(table);
  return table;
}

const InterpreterTable &standardOperations() {
  static const InterpreterTable table = makeStandardOperations();
  return table;
}

static std::string describe(const Tensor &tensor) {
  std::string text = "tensor<";
  for (int64_t dimension : tensor.shape()) {
    text += std::to_string(dimension) + "x";
  }
  return text + std::string(name(tensor.type())) + ">";
}

static std::string describe(mlir::Type type) {
  std::string text;
  llvm::raw_string_ostream stream(text);
  stream << type;
  return text;
}

static Status checkArguments(mlir::TypeRange types, std::span<const Tensor> arguments,
                             const std::string &location) {
  if (types.size() != arguments.size()) {
    return diagnose(DiagnosticCode::InterpreterArgumentMismatch,
                    std::to_string(arguments.size()) + " arguments were passed, expected " +
                        std::to_string(types.size()),
                    location);
  }
  for (size_t i = 0; i < arguments.size(); ++i) {
    auto type = llvm::dyn_cast<mlir::RankedTensorType>(types[i]);
    const Tensor &argument = arguments[i];
    if (!type || tryElementTypeOf(type) != argument.type() ||
        type.getShape() != llvm::ArrayRef<int64_t>(argument.shape())) {
      return diagnose(DiagnosticCode::InterpreterArgumentMismatch,
                      "argument " + std::to_string(i) + " is `" + describe(argument) +
                          "`, expected `" + describe(types[i]) + "`",
                      location);
    }
  }
  return Done{};
}

Result<std::vector<Tensor>> interpret(mlir::func::FuncOp function,
                                      std::span<const Tensor> arguments,
                                      const InterpreterOptions &options) {
  Status fits =
      checkArguments(function.getArgumentTypes(), arguments, locationText(function.getLoc()));
  if (!fits) {
    return fits.error();
  }
  Execution execution(options);
  Frame frame(execution);
  return frame.call(function, std::vector<Tensor>(arguments.begin(), arguments.end()));
}

Result<std::vector<Tensor>> interpret(mlir::ModuleOp module, std::span<const Tensor> arguments,
                                      const InterpreterOptions &options) {
  auto function = module.lookupSymbol<mlir::func::FuncOp>("main");
  if (!function) {
    auto functions = module.getOps<mlir::func::FuncOp>();
    if (functions.empty() || std::next(functions.begin()) != functions.end()) {
      return diagnose(DiagnosticCode::InterpreterUnsupported, "the module has no function `@main`",
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
  Execution execution(options);
  Frame frame(execution);
  return frame.execute(operation, execution.table.find(operation->getName().getStringRef()),
                       std::vector<Tensor>(operands.begin(), operands.end()));
}

} // namespace drumlin
