#include "drumlin/transforms/libraries/EpilogueValues.h"

#include "drumlin/ir/stablehlo/CompareOp.h"
#include "drumlin/ir/stablehlo/ConvertOp.h"
#include "drumlin/ir/stablehlo/DotGeneralOp.h"
#include "drumlin/ir/stablehlo/ProductRoles.h"
#include "drumlin/ir/stablehlo/ReduceOp.h"
#include "drumlin/ir/stablehlo/SelectOp.h"
#include "drumlin/ir/stablehlo/StablehloTypes.h"
#include "drumlin/target/LibraryTable.h"
#include "drumlin/transforms/requirements/ScalarFunction.h"

using namespace mlir;

namespace drumlin {

bool isWideFloat(ElementType type) { return isFloat(type) && !isNarrow(type); }

Value unconverted(Value value) {
  auto isWide = [](Value each) { return isWideFloat(elementTypeOf(each.getType())); };
  auto convert = value.getDefiningOp<stablehlo::ConvertOp>();
  while (convert && isWide(value) && isWide(convert.getOperand())) {
    value = convert.getOperand();
    convert = value.getDefiningOp<stablehlo::ConvertOp>();
  }
  return value;
}

Value positiveIn(Value mask) {
  auto compare = mask.getDefiningOp<stablehlo::CompareOp>();
  if (!compare) {
    return nullptr;
  }
  using enum stablehlo::ComparisonDirection;
  stablehlo::ComparisonDirection direction = compare.getComparisonDirection();
  if (direction == GT && isZero(compare.getRhs())) {
    return compare.getLhs();
  }
  return direction == LT && isZero(compare.getLhs()) ? compare.getRhs() : Value();
}

Value maskedValue(Operation *op, Value mask) {
  auto select = dyn_cast<stablehlo::SelectOp>(op);
  bool isMasked = select && select.getPred() == mask && isZero(select.getOnFalse());
  return isMasked ? select.getOnTrue() : Value();
}

std::optional<unsigned> operandSummedBy(Operation *hero, stablehlo::ReduceOp reduce) {
  auto dot = dyn_cast<stablehlo::DotGeneralOp>(hero);
  if (!dot || reduce.getInputs().size() != 1) {
    return std::nullopt;
  }
  stablehlo::ProductRoles roles(dot);
  SmallVector<int64_t> summed(reduce.getDimensions());
  llvm::sort(summed);
  for (unsigned operand : {0u, 1u}) {
    SmallVector<int64_t> contracting = roles.operands[operand].contracting;
    llvm::sort(contracting);
    bool isOfOperand =
        unconverted(reduce.getInputs().front()) == unconverted(dot->getOperand(operand));
    if (isOfOperand && summed == contracting) {
      return operand;
    }
  }
  return std::nullopt;
}

// Returns a dimension along which a vector is constant: it has stride 0.
static StridedDimension repeated(int64_t size) {
  return size > 1 ? StridedDimension{{size, 0}} : StridedDimension();
}

StridedView viewOfSum(stablehlo::ReduceOp reduce) {
  StridedView rows = rowMajorView(shapeOf(reduce.getResult(0)));
  StridedView view;
  size_t next = 0;
  for (auto [i, size] : llvm::enumerate(shapeOf(reduce.getInputs().front()))) {
    bool isReduced = llvm::is_contained(reduce.getDimensions(), static_cast<int64_t>(i));
    view.dimensions.push_back(isReduced ? repeated(size) : rows.dimensions[next++]);
  }
  return view;
}

std::vector<StridedDimension> overResult(stablehlo::DotGeneralOp dot, unsigned operand,
                                         ArrayRef<StridedDimension> dimensions) {
  std::vector<StridedDimension> made;
  for (int64_t size : shapeOf(dot.getResult())) {
    made.push_back(repeated(size));
  }
  stablehlo::ProductRoles roles(dot);
  for (auto [dimension, strided] : llvm::enumerate(dimensions)) {
    if (auto place = roles.inResult(operand, static_cast<int64_t>(dimension))) {
      made[*place] = strided;
    }
  }
  return made;
}

} // namespace drumlin
