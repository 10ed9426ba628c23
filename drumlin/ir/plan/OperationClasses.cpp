#include "drumlin/ir/plan/OperationClasses.h"

#include "drumlin/ir/indexing/IndexingInterface.h"
#include "drumlin/ir/stablehlo/ConvolutionOp.h"
#include "drumlin/ir/stablehlo/DotGeneralOp.h"
#include "drumlin/ir/stablehlo/StablehloTypes.h"

using namespace mlir;

namespace drumlin {

OperationClass classify(Operation *op) {
  auto known = dyn_cast<IndexingInterface>(op);
  return known ? known.operationClass() : OperationClass::Other;
}

bool isFusible(Operation *op) {
  switch (classify(op)) {
  case OperationClass::Constant:
  case OperationClass::DataMovement:
  case OperationClass::Pointwise:
  case OperationClass::Gather:
  case OperationClass::Reduction:
    return true;
  default:
    return false;
  }
}

bool isFree(Operation *op) {
  // If the operation has several operands, a kernel must select the operand from which each element
  // comes.
  bool hasSeveral = op->getNumOperands() > 1;
  return classify(op) == OperationClass::Constant ||
         (classify(op) == OperationClass::DataMovement && !hasSeveral);
}

bool transposes(Operation *op) {
  if (!isDataMovement(op) || elementsOf(op->getOperand(0)) != elementsOf(op->getResult(0))) {
    return false;
  }
  std::optional<IndexingMap> map = dataMovementIndexing(op);
  return map && map->transposes();
}

Operation *contractionOf(Block &body) {
  auto found = llvm::find_if(body, [](Operation &op) {
    return isa<stablehlo::DotGeneralOp, stablehlo::ConvolutionOp>(op);
  });
  return found == body.end() ? nullptr : &*found;
}

int64_t operationsPerElement(Operation *op) {
  auto known = dyn_cast<IndexingInterface>(op);
  return known ? known.operationsPerElement() : 0;
}

} // namespace drumlin
