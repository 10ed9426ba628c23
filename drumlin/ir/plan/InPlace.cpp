#include "drumlin/ir/plan/InPlace.h"

#include "drumlin/ir/plan/OperationClasses.h"

using namespace mlir;

namespace drumlin {

static bool dependsOn(Value value, Value wanted, llvm::SmallPtrSetImpl<Operation *> &seen) {
  if (value == wanted) {
    return true;
  }
  Operation *op = value.getDefiningOp();
  return op && seen.insert(op).second && llvm::any_of(op->getOperands(), [&](Value operand) {
           return dependsOn(operand, wanted, seen);
         });
}

stablehlo::DynamicUpdateSliceOp inPlaceUpdate(Block &region) {
  Operation *yield = region.getTerminator();
  if (yield->getNumOperands() != 1) {
    return {};
  }
  auto update = yield->getOperand(0).getDefiningOp<stablehlo::DynamicUpdateSliceOp>();
  if (!update || !isa<BlockArgument>(update.getOperand())) {
    return {};
  }
  // The update is read while the operand is written: it must come from elsewhere.
  for (Value other : llvm::drop_begin(update->getOperands())) {
    llvm::SmallPtrSet<Operation *, 16> seen;
    if (dependsOn(other, update.getOperand(), seen)) {
      return {};
    }
  }
  return update;
}

// Every use leads, element by element, to outputs of the same shape.
static bool isUsedPositionwise(Value value, ArrayRef<int64_t> shape) {
  return llvm::all_of(value.getUsers(), [&](Operation *user) {
    if (isa<plan::YieldOp>(user)) {
      return true;
    }
    bool sameShape = user->getNumResults() == 1 && shapeOf(user->getResult(0)) == shape;
    return sameShape && classify(user) == OperationClass::Pointwise &&
           isUsedPositionwise(user->getResult(0), shape);
  });
}

bool mayComputeInPlace(plan::KernelOp kernel, unsigned input, unsigned output) {
  Block &region = kernel.getBody().front();
  BlockArgument argument = region.getArgument(input);
  Value yielded = region.getTerminator()->getOperand(output);
  if (argument.getType() != yielded.getType()) {
    return false;
  }
  switch (kernel.getKind()) {
  case plan::KernelKind::loop:
    if (stablehlo::DynamicUpdateSliceOp update = inPlaceUpdate(region)) {
      return update.getOperand() == argument;
    }
    [[fallthrough]];
  case plan::KernelKind::gemm:
    return isUsedPositionwise(argument, shapeOf(argument));
  case plan::KernelKind::scatter: {
    auto scatter = yielded.getDefiningOp<stablehlo::ScatterOp>();
    return scatter && argument.hasOneUse() &&
           scatter.getInputs()[cast<OpResult>(yielded).getResultNumber()] == argument;
  }
  case plan::KernelKind::sort:
  case plan::KernelKind::window:
    return false;
  }
  llvm_unreachable("every kind is handled above");
}

} // namespace drumlin
