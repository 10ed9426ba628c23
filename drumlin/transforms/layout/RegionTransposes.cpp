#include "drumlin/transforms/layout/RegionTransposes.h"

#include "drumlin/ir/plan/Layouts.h"
#include "drumlin/ir/plan/OperationClasses.h"
#include "drumlin/ir/stablehlo/BroadcastInDimOp.h"
#include "drumlin/ir/stablehlo/ConstantOp.h"
#include "drumlin/ir/stablehlo/DotGeneralOp.h"
#include "drumlin/ir/stablehlo/IotaOp.h"
#include "drumlin/ir/stablehlo/ProductRoles.h"
#include "drumlin/ir/stablehlo/StablehloTypes.h"
#include "drumlin/ir/stablehlo/TransposeOp.h"
#include "drumlin/support/Layout.h"
#include "drumlin/transforms/DotSwap.h"

using namespace mlir;

namespace drumlin {

static RankedTensorType permuted(Type type, ArrayRef<int64_t> permutation) {
  return physicalType(cast<RankedTensorType>(type), permutation);
}

Value transposed(OpBuilder &builder, Location loc, Value value, ArrayRef<int64_t> permutation) {
  if (isRowMajor(permutation)) {
    return value;
  }
  Operation *op = value.getDefiningOp();
  if (auto inner = dyn_cast_or_null<stablehlo::TransposeOp>(op)) {
    DimensionOrder both;
    for (int64_t dimension : permutation) {
      both.push_back(inner.getPermutation()[static_cast<size_t>(dimension)]);
    }
    return transposed(builder, inner.getLoc(), inner.getOperand(), both);
  }
  RankedTensorType type = permuted(value.getType(), permutation);
  if (auto constant = dyn_cast_or_null<stablehlo::ConstantOp>(op)) {
    auto elements = dyn_cast<SplatElementsAttr>(constant.getValue());
    if (elements) {
      return stablehlo::ConstantOp::create(builder, op->getLoc(), elements.resizeSplat(type));
    }
  }
  DimensionOrder places = inverseOrder(permutation);
  if (auto broadcast = dyn_cast_or_null<stablehlo::BroadcastInDimOp>(op)) {
    SmallVector<int64_t> dimensions;
    for (int64_t dimension : broadcast.getBroadcastDimensions()) {
      dimensions.push_back(places[static_cast<size_t>(dimension)]);
    }
    return stablehlo::BroadcastInDimOp::create(builder, op->getLoc(), type, broadcast.getOperand(),
                                               builder.getDenseI64ArrayAttr(dimensions));
  }
  if (auto iota = dyn_cast_or_null<stablehlo::IotaOp>(op)) {
    int64_t dimension = places[static_cast<size_t>(iota.getIotaDimension())];
    return stablehlo::IotaOp::create(builder, op->getLoc(), type,
                                     builder.getI64IntegerAttr(dimension));
  }
  return stablehlo::TransposeOp::create(builder, loc, type, value,
                                        builder.getDenseI64ArrayAttr(permutation));
}

static bool isTransposable(Operation *op) {
  return op && classify(op) == OperationClass::Pointwise && op->getNumResults() == 1 &&
         op->getNumRegions() == 0;
}

// f(transpose(x), …) ==> f(x, …), if all operands that aren't scalars are transposed by this
// permutation. Scalars are kept.
static Value withOperands(OpBuilder &builder, Operation *op, ArrayRef<int64_t> permutation) {
  size_t rank = shapeOf(op->getResult(0)).size();
  SmallVector<Value> operands;
  for (Value operand : op->getOperands()) {
    bool isScalar = shapeOf(operand).size() != rank;
    operands.push_back(isScalar ? operand
                                : transposed(builder, op->getLoc(), operand, permutation));
  }
  Operation *made = builder.clone(*op);
  made->setOperands(operands);
  made->getResult(0).setType(permuted(op->getResult(0).getType(), permutation));
  return made->getResult(0);
}

// transpose(f(x, y)) ==> f(transpose(x), transpose(y)), if f has no other users.
static bool raise(stablehlo::TransposeOp transpose) {
  Operation *op = transpose.getOperand().getDefiningOp();
  ArrayRef<int64_t> permutation = transpose.getPermutation();
  bool onlyTransposed = op && llvm::all_of(op->getUsers(), [&](Operation *user) {
                          auto other = dyn_cast<stablehlo::TransposeOp>(user);
                          return other && other.getPermutation() == permutation;
                        });
  if (!onlyTransposed) {
    return false;
  }
  OpBuilder builder(op);
  Value made;
  auto dot = dyn_cast<stablehlo::DotGeneralOp>(op);
  if (dot && !dot.getAlgorithm() && llvm::equal(permutation, swappedResult(dot))) {
    made = swapOperands(builder, dot).getResult();
  } else if (isTransposable(op)) {
    made = withOperands(builder, op, permutation);
  } else {
    return false;
  }
  for (Operation *user : llvm::make_early_inc_range(op->getUsers())) {
    user->getResult(0).replaceAllUsesWith(made);
    user->erase();
  }
  op->erase();
  return true;
}

// f(transpose(x), transpose(y)) ==> transpose(f(x, y)). The transpose moves towards the dot that
// absorbs it.
static bool sink(Operation *op) {
  if (!isTransposable(op)) {
    return false;
  }
  std::optional<ArrayRef<int64_t>> permutation;
  size_t rank = shapeOf(op->getResult(0)).size();
  for (Value operand : op->getOperands()) {
    Operation *defining = operand.getDefiningOp();
    if (auto transpose = dyn_cast_or_null<stablehlo::TransposeOp>(defining)) {
      if (permutation && *permutation != transpose.getPermutation()) {
        return false;
      }
      permutation = transpose.getPermutation();
      continue;
    }
    bool isSplat = false;
    if (auto constant = dyn_cast_or_null<stablehlo::ConstantOp>(defining)) {
      isSplat = isa<SplatElementsAttr>(constant.getValue());
    }
    bool adapts = isSplat || shapeOf(operand).size() != rank ||
                  isa_and_nonnull<stablehlo::BroadcastInDimOp, stablehlo::IotaOp>(defining);
    if (!adapts) {
      return false;
    }
  }
  if (!permutation) {
    return false;
  }
  OpBuilder builder(op);
  Value made = withOperands(builder, op, inverseOrder(*permutation));
  Value back =
      stablehlo::TransposeOp::create(builder, op->getLoc(), permuted(made.getType(), *permutation),
                                     made, builder.getDenseI64ArrayAttr(*permutation));
  op->getResult(0).replaceAllUsesWith(back);
  op->erase();
  return true;
}

// Returns whether free dimensions keep their order when they are mapped through the transpose. A
// dot's result lists free dimensions in operand order.
static bool keepsOrder(ArrayRef<int64_t> free, ArrayRef<int64_t> permutation) {
  SmallVector<int64_t> moved;
  for (int64_t dimension : free) {
    moved.push_back(permutation[static_cast<size_t>(dimension)]);
  }
  return llvm::is_sorted(moved);
}

static SmallVector<int64_t> moved(ArrayRef<int64_t> dimensions, ArrayRef<int64_t> permutation) {
  SmallVector<int64_t> made;
  for (int64_t dimension : dimensions) {
    made.push_back(permutation[static_cast<size_t>(dimension)]);
  }
  return made;
}

// dot(transpose(a), b) ==> dot(a, b) with other dimension numbers
static void absorb(stablehlo::DotGeneralOp dot) {
  stablehlo::ProductRoles roles(dot);
  for (OpOperand &operand : dot->getOpOperands()) {
    auto transpose = operand.get().getDefiningOp<stablehlo::TransposeOp>();
    stablehlo::ProductRoles::Operand &own = roles.operands[operand.getOperandNumber()];
    if (transpose && keepsOrder(own.free, transpose.getPermutation())) {
      own.batch = moved(own.batch, transpose.getPermutation());
      own.contracting = moved(own.contracting, transpose.getPermutation());
      operand.set(transpose.getOperand());
    }
  }
  dot.setDotDimensionNumbersAttr(stablehlo::DotDimensionNumbersAttr::get(
      dot.getContext(), roles.lhs().batch, roles.rhs().batch, roles.lhs().contracting,
      roles.rhs().contracting));
}

void simplifyTransposes(Block &region) {
  Operation *hero = contractionOf(region);
  if (hero) {
    // Operations before the hero are its prologue. Moving transposes is free for operations that
    // don't belong to the prologue.
    for (Operation &op : llvm::make_early_inc_range(region)) {
      if (&op == hero) {
        break;
      }
      sink(&op);
    }
  }
  // Moves transposes towards the front of the region, and revisits each of them until none can move
  // further.
  bool changes = true;
  while (changes) {
    changes = false;
    SmallVector<stablehlo::TransposeOp> transposes(region.getOps<stablehlo::TransposeOp>());
    for (stablehlo::TransposeOp transpose : llvm::reverse(transposes)) {
      OpBuilder builder(transpose);
      Value simpler = transposed(builder, transpose.getLoc(), transpose.getOperand(),
                                 transpose.getPermutation());
      auto same = simpler.getDefiningOp<stablehlo::TransposeOp>();
      if (!same || same.getOperand() != transpose.getOperand()) {
        transpose.replaceAllUsesWith(simpler);
        transpose.erase();
        changes = true;
        break;
      }
      if (same != transpose) {
        same.erase();
      }
      Operation *op = transpose.getOperand().getDefiningOp();
      bool feedsHero = hero && op && op->isBeforeInBlock(hero);
      if (!feedsHero && raise(transpose)) {
        changes = true;
        break; // the listed transposes may have been erased
      }
    }
    hero = contractionOf(region);
  }
  for (stablehlo::DotGeneralOp dot : region.getOps<stablehlo::DotGeneralOp>()) {
    absorb(dot);
  }
  for (Operation &op : llvm::make_early_inc_range(llvm::reverse(region))) {
    if (op.use_empty() && &op != region.getTerminator()) {
      op.erase();
    }
  }
}

} // namespace drumlin
