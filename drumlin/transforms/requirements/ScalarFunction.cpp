#include "drumlin/transforms/requirements/ScalarFunction.h"

#include "drumlin/interpreter/Interpreter.h"
#include "drumlin/ir/indexing/IndexingInterface.h"
#include "drumlin/ir/plan/OperationClasses.h"
#include "drumlin/ir/stablehlo/StablehloOps.h"
#include "drumlin/support/ScalarFunctions.h"
#include "llvm/ADT/DenseMap.h"

using namespace mlir;

namespace drumlin {

// Builds a function of tensors of f64 from a chain that may have other shapes and float types.
class FunctionBuilder {
public:
  FunctionBuilder(ArrayRef<Value> from, int64_t points)
      : builder(from.front().getContext()), loc(builder.getUnknownLoc()), count(points) {
    module = ModuleOp::create(loc);
    builder.setInsertionPointToEnd(module->getBody());
    Type type = RankedTensorType::get({count}, builder.getF64Type());
    SmallVector<Type> types(from.size(), type);
    function = func::FuncOp::create(builder, loc, "main", builder.getFunctionType(types, type));
    builder.setInsertionPointToEnd(function.addEntryBlock());
    for (auto [value, argument] : llvm::zip(from, function.getArguments())) {
      built[value] = argument;
    }
  }

  func::FuncOp finish(Value to) {
    Value result = build(to);
    // A condition counts as 1 or 0.
    if (result && getElementTypeOrSelf(result.getType()).isInteger(1)) {
      result =
          stablehlo::ConvertOp::create(builder, loc, function.getResultTypes().front(), result);
    }
    if (!result || result.getType() != function.getResultTypes().front()) {
      return nullptr;
    }
    func::ReturnOp::create(builder, loc, result);
    return function;
  }

private:
  Type typeFor(Type type) {
    Type element = getElementTypeOrSelf(type);
    if (isa<FloatType>(element)) {
      return RankedTensorType::get({count}, builder.getF64Type());
    }
    return element.isInteger(1) ? RankedTensorType::get({count}, element) : nullptr;
  }

  Value buildConstant(stablehlo::ConstantOp constant) {
    auto elements = dyn_cast<DenseElementsAttr>(constant.getValue());
    auto type = dyn_cast_or_null<RankedTensorType>(typeFor(constant.getType()));
    if (!elements || !elements.isSplat() || !type) {
      return nullptr;
    }
    DenseElementsAttr value;
    if (type.getElementType().isInteger(1)) {
      value = DenseElementsAttr::get(type, elements.getSplatValue<bool>());
    } else {
      value = DenseElementsAttr::get(type, elements.getSplatValue<APFloat>().convertToDouble());
    }
    return stablehlo::ConstantOp::create(builder, loc, value);
  }

  Value build(Value value) {
    auto found = built.find(value);
    if (found != built.end()) {
      return found->second;
    }
    Operation *op = value.getDefiningOp();
    return op ? built[value] = buildOperation(op) : nullptr;
  }

  Value buildOperation(Operation *op) {
    if (auto constant = dyn_cast<stablehlo::ConstantOp>(op)) {
      return buildConstant(constant);
    }
    // Where elements stand makes no difference to a function of one variable.
    if (isDataMovement(op) || isa<stablehlo::ReducePrecisionOp>(op)) {
      return build(op->getOperand(0));
    }
    Type type = op->getNumResults() == 1 ? typeFor(op->getResult(0).getType()) : Type();
    if (!type || classify(op) != OperationClass::Pointwise) {
      return nullptr;
    }
    if (isa<stablehlo::ConvertOp>(op) && typeFor(op->getOperand(0).getType()) == type) {
      return build(op->getOperand(0));
    }
    SmallVector<Value> operands;
    for (Value operand : op->getOperands()) {
      operands.push_back(build(operand));
      if (!operands.back()) {
        return nullptr;
      }
    }
    OperationState state(loc, op->getName(), operands, type, op->getAttrs());
    return builder.create(state)->getResult(0);
  }

  OpBuilder builder;
  Location loc;
  int64_t count;
  OwningOpRef<ModuleOp> module;
  func::FuncOp function;
  llvm::DenseMap<Value, Value> built;
};

static std::optional<std::vector<double>> sample(ArrayRef<Value> from, Value to,
                                                 ArrayRef<std::vector<double>> points) {
  size_t count = points.front().size();
  FunctionBuilder builder(from, static_cast<int64_t>(count));
  func::FuncOp function = builder.finish(to);
  if (!function) {
    return std::nullopt;
  }
  std::vector<Tensor> arguments;
  for (const std::vector<double> &numbers : points) {
    arguments.emplace_back(ElementType::F64, Shape({static_cast<int64_t>(count)}));
    std::copy(numbers.begin(), numbers.end(), reinterpret_cast<double *>(arguments.back().data()));
  }
  Result<std::vector<Tensor>> results = interpret(function, arguments);
  if (!results) {
    return std::nullopt;
  }
  const auto *values = reinterpret_cast<const double *>(results->front().data());
  return std::vector<double>(values, values + count);
}

std::optional<std::vector<double>> sampleFunction(Value from, Value to,
                                                  std::span<const double> points) {
  return sample(from, to, std::vector<double>(points.begin(), points.end()));
}

std::optional<std::vector<double>>
sampleFunction(Value from, Value other, Value to,
               std::span<const std::pair<double, double>> points) {
  std::vector<double> numbers[2];
  for (auto [first, second] : points) {
    numbers[0].push_back(first);
    numbers[1].push_back(second);
  }
  return sample({from, other}, to, numbers);
}

std::string_view recognizeFunction(Value from, Value to) {
  return nameOfFunction(
      [&](std::span<const double> points) { return sampleFunction(from, to, points); });
}

} // namespace drumlin
