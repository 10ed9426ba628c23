#include "drumlin/interpreter/Frame.h"
#include "drumlin/interpreter/Handlers.h"
#include "drumlin/interpreter/kernels/EvaluateElementwise.h"
#include "drumlin/ir/stablehlo/ClampOp.h"
#include "drumlin/ir/stablehlo/CompareOp.h"
#include "drumlin/ir/stablehlo/ConvertOp.h"
#include "drumlin/ir/stablehlo/ReducePrecisionOp.h"
#include "drumlin/ir/stablehlo/SelectOp.h"

namespace drumlin::interpreter {

// Adds the operation under its name in the dialects `stablehlo` and `chlo`. Operations of the same
// name mean the same in both.
static void addUnary(InterpreterTable &table, UnaryOperation operation) {
  for (const char *dialect : {"stablehlo.", "chlo."}) {
    table.add(std::string(dialect) + mnemonic(operation),
              [operation](mlir::Operation *, std::vector<Tensor> operands, Frame &) {
                return single(unary(operation, operands[0]));
              });
  }
}

static void addBinary(InterpreterTable &table, BinaryOperation operation) {
  for (const char *dialect : {"stablehlo.", "chlo."}) {
    table.add(std::string(dialect) + mnemonic(operation),
              [operation](mlir::Operation *, std::vector<Tensor> operands, Frame &) {
                return single(binary(operation, operands[0], operands[1]));
              });
  }
}

static Result<std::vector<Tensor>> compareElements(stablehlo::CompareOp op,
                                                   std::vector<Tensor> &operands, Frame &) {
  bool total = op.compareTypeOrDefault() == stablehlo::ComparisonType::TOTALORDER;
  return single(compare(static_cast<ComparisonDirection>(op.getComparisonDirection()),
                        total ? ComparisonType::TotalOrder : ComparisonType::Natural, operands[0],
                        operands[1]));
}

// The kernel's comparison directions have the same numbers as the dialect's.
static_assert(static_cast<int>(stablehlo::ComparisonDirection::EQ) ==
                  static_cast<int>(ComparisonDirection::EQ) &&
              static_cast<int>(stablehlo::ComparisonDirection::GE) ==
                  static_cast<int>(ComparisonDirection::GE) &&
              static_cast<int>(stablehlo::ComparisonDirection::LT) ==
                  static_cast<int>(ComparisonDirection::LT));

void addElementwiseHandlers(InterpreterTable &table) {
#define X(Name, ...) addUnary(table, UnaryOperation::Name);
  DRUMLIN_UNARY_OPERATIONS(X, X, X, X)
#undef X
#define X(Name, mnemonic) addBinary(table, BinaryOperation::Name);
  DRUMLIN_BINARY_OPERATIONS(X)
#undef X
  add<stablehlo::CompareOp>(table, compareElements);
  add<stablehlo::SelectOp>(table, [](stablehlo::SelectOp, std::vector<Tensor> &operands, Frame &) {
    return single(select(operands[0], operands[1], operands[2]));
  });
  add<stablehlo::ClampOp>(table, [](stablehlo::ClampOp, std::vector<Tensor> &operands, Frame &) {
    return single(clamp(operands[0], operands[1], operands[2]));
  });
  add<stablehlo::ConvertOp>(
      table, [](stablehlo::ConvertOp op, std::vector<Tensor> &operands, Frame &) {
        return single(convert(operands[0], elementTypeOf(op.getResult().getType())));
      });
  add<stablehlo::ReducePrecisionOp>(
      table, [](stablehlo::ReducePrecisionOp op, std::vector<Tensor> &operands, Frame &) {
        return single(reducePrecision(operands[0], static_cast<unsigned>(op.getExponentBits()),
                                      static_cast<unsigned>(op.getMantissaBits())));
      });
}

} // namespace drumlin::interpreter
