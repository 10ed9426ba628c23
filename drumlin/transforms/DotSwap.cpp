#include "drumlin/transforms/DotSwap.h"

#include "drumlin/ir/plan/Layouts.h"
#include "drumlin/ir/plan/PlanDialect.h"
#include "drumlin/ir/stablehlo/DotGeneralOp.h"
#include "drumlin/ir/stablehlo/ProductRoles.h"
#include "drumlin/ir/stablehlo/StablehloTypes.h"

using namespace mlir;

namespace drumlin {

SmallVector<int64_t> swappedResult(stablehlo::DotGeneralOp dot) {
  stablehlo::ProductRoles roles(dot);
  SmallVector<int64_t> swapped = roles.batchInResult();
  llvm::append_range(swapped, roles.freeInResult(1));
  llvm::append_range(swapped, roles.freeInResult(0));
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
