#include "drumlin/transforms/requirements/ScalarFunction.h"

#include "drumlin/ir/indexing/IndexingInterface.h"
#include "drumlin/ir/plan/OperationClasses.h"
#include "drumlin/ir/stablehlo/BroadcastInDimOp.h"
#include "drumlin/ir/stablehlo/CompareOp.h"
#include "drumlin/ir/stablehlo/ConstantOp.h"
#include "drumlin/ir/stablehlo/ConvertOp.h"
#include "drumlin/ir/stablehlo/ReducePrecisionOp.h"
#include "drumlin/support/ScalarFunctions.h"
#include "llvm/ADT/DenseMap.h"

using namespace mlir;

namespace drumlin {

namespace {
// Reads a chain of operations backwards.
class FunctionReader {
public:
  llvm::DenseMap<Value, ScalarExpression> read;

  ScalarExpression of(Value value) {
    auto found = read.find(value);
    if (found != read.end()) {
      return found->second;
    }
    Operation *op = value.getDefiningOp();
    ScalarExpression made = op ? ofOperation(op) : ScalarExpression::unknown();
    return read[value] = made;
  }

private:
  static bool isNumberOrCondition(Type type) {
    Type element = getElementTypeOrSelf(type);
    return isa<FloatType>(element) || element.isInteger(1);
  }

  static ScalarExpression ofConstant(stablehlo::ConstantOp constant) {
    auto elements = dyn_cast<DenseElementsAttr>(constant.getValue());
    if (!elements || !elements.isSplat() || !isNumberOrCondition(constant.getType())) {
      return ScalarExpression::unknown();
    }
    if (elements.getElementType().isInteger(1)) {
      return ScalarExpression::constant(elements.getSplatValue<bool>() ? 1 : 0, 53);
    }
    ElementType type = elementTypeOf(elements.getElementType());
    return ScalarExpression::constant(elements.getSplatValue<APFloat>().convertToDouble(),
                                      static_cast<int>(info(type).mantissaBits) + 1);
  }

  ScalarExpression ofOperation(Operation *op) {
    if (auto constant = dyn_cast<stablehlo::ConstantOp>(op)) {
      return ofConstant(constant);
    }
    // Data movement doesn't change a function of one variable.
    if (isDataMovement(op) || isa<stablehlo::ReducePrecisionOp>(op)) {
      return of(op->getOperand(0));
    }
    bool isArithmetic = op->getNumResults() == 1 && classify(op) == OperationClass::Pointwise &&
                        isNumberOrCondition(op->getResult(0).getType()) &&
                        llvm::all_of(op->getOperandTypes(), isNumberOrCondition);
    if (!isArithmetic) {
      return ScalarExpression::unknown();
    }
    SmallVector<ScalarExpression> operands;
    for (Value operand : op->getOperands()) {
      operands.push_back(of(operand));
      if (!operands.back().isKnown()) {
        return operands.back();
      }
    }
    if (auto compare = dyn_cast<stablehlo::CompareOp>(op)) {
      bool isTotal = compare.getCompareType() == stablehlo::ComparisonType::TOTALORDER;
      return isTotal ? ScalarExpression::unknown()
                     : ScalarExpression::comparison(
                           stringifyComparisonDirection(compare.getComparisonDirection()),
                           operands[0], operands[1]);
    }
    // Converting a condition gives 1 or 0. Converting a number to a condition compares it with 0.
    if (isa<stablehlo::ConvertOp>(op)) {
      bool isCondition = getElementTypeOrSelf(op->getResult(0).getType()).isInteger(1);
      return isCondition ? ScalarExpression::comparison("NE", operands[0],
                                                        ScalarExpression::constant(0, 53))
                         : operands[0];
    }
    llvm::StringRef name = op->getName().stripDialect();
    return ScalarExpression::operation({name.data(), name.size()}, operands);
  }
};
} // namespace

ScalarExpression functionBetween(Value from, Value to) {
  FunctionReader reader;
  reader.read[from] = ScalarExpression::x();
  return reader.of(to);
}

ScalarExpression functionBetween(Value x, Value y, Value to) {
  FunctionReader reader;
  reader.read[x] = ScalarExpression::x();
  reader.read[y] = ScalarExpression::y();
  return reader.of(to);
}

std::string_view recognizeFunction(Value from, Value to) {
  return nameOfFunction(functionBetween(from, to));
}

bool isZero(Value value) {
  Operation *op = value.getDefiningOp();
  while (isa_and_nonnull<stablehlo::BroadcastInDimOp, stablehlo::ConvertOp>(op)) {
    op = op->getOperand(0).getDefiningOp();
  }
  auto constant = dyn_cast_or_null<stablehlo::ConstantOp>(op);
  auto elements = constant ? dyn_cast<DenseElementsAttr>(constant.getValue()) : nullptr;
  bool isFloat = elements && isa<FloatType>(elements.getElementType());
  return isFloat && elements.isSplat() && elements.getSplatValue<APFloat>().isZero();
}

} // namespace drumlin
