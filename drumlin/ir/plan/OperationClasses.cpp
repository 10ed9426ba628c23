#include "drumlin/ir/plan/OperationClasses.h"

#include "drumlin/ir/indexing/IndexingInterface.h"
#include "drumlin/ir/stablehlo/StablehloOps.h"

using namespace mlir;

namespace drumlin {

OperationClass classify(Operation *op) {
  auto known = dyn_cast<IndexingInterface>(op);
  return known ? known.operationClass() : OperationClass::Other;
}

bool isFusible(Operation *op) {
  switch (classify(op)) {
  case OperationClass::Constant:
  case OperationClass::Move:
  case OperationClass::Pointwise:
  case OperationClass::Gather:
  case OperationClass::Reduction:
    return true;
  default:
    return false;
  }
}

bool isFree(Operation *op) {
  if (classify(op) == OperationClass::Constant) {
    return true;
  }
  return isa<stablehlo::ReshapeOp, stablehlo::BroadcastInDimOp, stablehlo::TransposeOp,
             stablehlo::SliceOp, stablehlo::ReverseOp, stablehlo::IotaOp>(op);
}

int64_t operationsPerElement(Operation *op) {
  auto known = dyn_cast<IndexingInterface>(op);
  return known ? known.operationsPerElement() : 0;
}

} // namespace drumlin
