#include "drumlin/transforms/DotSwap.h"

#include "drumlin/ir/plan/Layouts.h"
#include "drumlin/ir/plan/PlanDialect.h"
#include "drumlin/ir/stablehlo/StablehloTypes.h"

using namespace mlir;

namespace drumlin {

SmallVector<int64_t> swappedResult(stablehlo::DotGeneralOp dot) {
  auto numbers = dot.getDotDimensionNumbers();
  auto batch = static_cast<int64_t>(numbers.getLhsBatchingDimensions().size());
  auto lhsFree = static_cast<int64_t>(dot.getLhsFreeDimensions().size());
  auto rank = static_cast<int64_t>(shapeOf(dot.getResult()).size());
  SmallVector<int64_t> swapped;
  llvm::append_range(swapped, llvm::seq<int64_t>(0, batch));
  llvm::append_range(swapped, llvm::seq<int64_t>(batch + lhsFree, rank));
  llvm::append_range(swapped, llvm::seq<int64_t>(batch, batch + lhsFree));
  return swapped;
}

stablehlo::DotGeneralOp swapOperands(OpBuilder &builder, stablehlo::DotGeneralOp dot) {
  auto numbers = dot.getDotDimensionNumbers();
  auto swapped = stablehlo::DotDimensionNumbersAttr::get(
      dot.getContext(), numbers.getRhsBatchingDimensions(), numbers.getLhsBatchingDimensions(),
      numbers.getRhsContractingDimensions(), numbers.getLhsContractingDimensions());
  ArrayAttr precision = dot.getPrecisionConfigAttr();
  if (precision && precision.size() == 2) {
    precision = ArrayAttr::get(dot.getContext(), {precision[1], precision[0]});
  }
  auto type = cast<RankedTensorType>(dot.getResult().getType());
  auto made =
      stablehlo::DotGeneralOp::create(builder, dot.getLoc(), physicalType(type, swappedResult(dot)),
                                      dot.getRhs(), dot.getLhs(), swapped, precision, nullptr);
  if (!dot->hasAttr(plan::swappedAttribute)) {
    made->setAttr(plan::swappedAttribute, builder.getUnitAttr());
  }
  return made;
}

} // namespace drumlin
