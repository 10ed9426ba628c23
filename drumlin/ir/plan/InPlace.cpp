#include "drumlin/ir/plan/InPlace.h"

#include "drumlin/ir/plan/Epilogue.h"
#include "drumlin/ir/plan/KernelOp.h"
#include "drumlin/ir/plan/OperationClasses.h"
#include "drumlin/ir/plan/ScheduleAttributes.h"
#include "drumlin/ir/plan/YieldOp.h"
#include "drumlin/ir/plan/loop/LoopReads.h"
#include "drumlin/ir/plan/loop/LoopSchedule.h"
#include "drumlin/ir/sizes/SizeSymbols.h"
#include "drumlin/ir/stablehlo/CholeskyOp.h"
#include "drumlin/ir/stablehlo/ComplexOp.h"
#include "drumlin/ir/stablehlo/DynamicUpdateSliceOp.h"
#include "drumlin/ir/stablehlo/ScatterOp.h"
#include "drumlin/ir/stablehlo/StablehloTypes.h"
#include "drumlin/ir/stablehlo/TriangularSolveOp.h"

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
  // The update is computed while the operand is overwritten, so it must not depend on the operand.
  for (Value other : llvm::drop_begin(update->getOperands())) {
    llvm::SmallPtrSet<Operation *, 16> seen;
    if (dependsOn(other, update.getOperand(), seen)) {
      return {};
    }
  }
  return update;
}

// Whether the value is used only by elementwise operations with results of the same shape, directly
// or through other such operations. Adds the outputs that depend on the value to `outputs`.
static bool isUsedPositionwise(Value value, SetVector<Value> &outputs) {
  SetVector<Value> reached;
  reached.insert(value);
  for (size_t i = 0; i < reached.size(); ++i) {
    for (Operation *user : reached[i].getUsers()) {
      if (isa<plan::YieldOp>(user)) {
        outputs.insert(reached[i]);
        continue;
      }
      bool sameShape = user->getNumResults() == 1 && shapeOf(user->getResult(0)) == shapeOf(value);
      if (!sameShape || classify(user) != OperationClass::Pointwise) {
        return false;
      }
      reached.insert(user->getResult(0));
    }
  }
  return true;
}

// Whether a GEMM stores elements of `output` and of all `others` at the same time and position.
// From each element of the hero's result, a GEMM computes one element of each of these values. The
// positions of these elements are equal only if the values have their elements in the same order.
static bool areStoredTogether(Block &region, Value output, const SetVector<Value> &others) {
  Epilogue epilogue(contractionOf(region));
  for (Operation &op : region.without_terminator()) {
    if (epilogue.add(&op)) {
      return false;
    }
  }
  auto isStored = [&](Value value) {
    return epilogue.contains(value) && !epilogue.reductionOf(value);
  };
  return isStored(output) && llvm::all_of(others, [&](Value other) {
           return isStored(other) && epilogue.inOneOrder(other, output);
         });
}

static int64_t elementBytes(Value value) {
  return storageBytes(elementTypeOf(getElementTypeOrSelf(value.getType())));
}

// Whether two values have the same shape and the same element size, so that their elements have the
// same byte offsets.
static bool haveSamePlaces(Value a, Value b) {
  auto type = cast<RankedTensorType>(a.getType()), other = cast<RankedTensorType>(b.getType());
  return type.clone(other.getElementType()) == other && elementBytes(a) == elementBytes(b);
}

// Whether a loop kernel has a single traversal, which is a single task and computes the results in
// the order in which they are in memory.
static bool runsInOrder(plan::KernelOp kernel, ArrayRef<LoopGroup> groups) {
  std::optional<LoopSchedule> schedule = loopScheduleOf(kernel);
  if (!schedule || groups.size() != 1 || schedule->traversals.size() != 1) {
    return false;
  }
  const LoopTraversal &traversal = schedule->traversals.front();
  switch (traversal.kind) {
  case plan::TraversalKind::flat:
  case plan::TraversalKind::rows:
  case plan::TraversalKind::single:
    return stepsOf(traversal, groups.front()).nominal <= traversal.tile;
  case plan::TraversalKind::blocked:
  case plan::TraversalKind::interleaved:
  case plan::TraversalKind::scan:
    return false;
  }
  llvm_unreachable("every traversal is handled above");
}

// Whether a loop kernel overwrites bytes of the argument with a result only after all reads of
// these bytes, including reads for other results.
static bool readsBeforeItWrites(plan::KernelOp kernel, BlockArgument argument, unsigned output) {
  Block &region = kernel.getBody().front();
  Value yielded = region.getTerminator()->getOperand(output);
  if (hasSymbolicSizes(argument.getType()) || hasSymbolicSizes(yielded.getType()) ||
      bytesOf(yielded) > bytesOf(argument)) {
    return false;
  }
  std::vector<LoopGroup> groups = groupRoots(region);
  return runsInOrder(kernel, groups) &&
         isReadAhead(argument, groups.front(), elementBytes(yielded));
}

static bool mayLoopInPlace(plan::KernelOp kernel, BlockArgument argument, unsigned output) {
  Block &region = kernel.getBody().front();
  if (stablehlo::DynamicUpdateSliceOp update = inPlaceUpdate(region)) {
    return update.getOperand() == argument;
  }
  SetVector<Value> outputs;
  Value yielded = region.getTerminator()->getOperand(output);
  return (haveSamePlaces(argument, yielded) && isUsedPositionwise(argument, outputs)) ||
         readsBeforeItWrites(kernel, argument, output);
}

bool mayComputeInPlace(plan::KernelOp kernel, unsigned input, unsigned output) {
  Block &region = kernel.getBody().front();
  BlockArgument argument = region.getArgument(input);
  Value yielded = region.getTerminator()->getOperand(output);
  if (kernel.getKind() == plan::KernelKind::loop) {
    return mayLoopInPlace(kernel, argument, output);
  }
  if (argument.getType() != yielded.getType()) {
    return false;
  }
  SetVector<Value> outputs;
  switch (kernel.getKind()) {
  case plan::KernelKind::gemm:
    return isUsedPositionwise(argument, outputs) && areStoredTogether(region, yielded, outputs);
  case plan::KernelKind::scatter: {
    auto scatter = yielded.getDefiningOp<stablehlo::ScatterOp>();
    return scatter && argument.hasOneUse() &&
           scatter.getInputs()[cast<OpResult>(yielded).getResultNumber()] == argument;
  }
  case plan::KernelKind::triangular: {
    // A task reads all elements of its operands before it stores results, except for the matrix of
    // a solve.
    if (!argument.hasOneUse()) {
      return false;
    }
    Operation *user = *argument.getUsers().begin();
    OpOperand *use = &*argument.getUses().begin();
    if (isa<stablehlo::ComplexOp>(user) && user->hasOneUse()) {
      use = &*user->getResult(0).getUses().begin();
    }
    auto solve = dyn_cast<stablehlo::TriangularSolveOp>(use->getOwner());
    return solve ? use->getOperandNumber() == 1 : isa<stablehlo::CholeskyOp>(use->getOwner());
  }
  default:
    return false;
  }
}

} // namespace drumlin
