// Handles `FUSE_LIMIT` and `scheduling_group`, which frameworks set on operations. Barriers
// separate these operations from others, and keep groups in order, until kernels are formed.
#include "drumlin/transforms/simplify/Passes.h"

#include "drumlin/ir/stablehlo/BroadcastInDimOp.h"
#include "drumlin/ir/stablehlo/CaseOp.h"
#include "drumlin/ir/stablehlo/ConstantOp.h"
#include "drumlin/ir/stablehlo/ConvertOp.h"
#include "drumlin/ir/stablehlo/FrontendAttributes.h"
#include "drumlin/ir/stablehlo/IfOp.h"
#include "drumlin/ir/stablehlo/OptimizationBarrierOp.h"
#include "drumlin/ir/stablehlo/ReshapeOp.h"
#include "drumlin/ir/stablehlo/WhileOp.h"
#include "llvm/ADT/SetVector.h"

using namespace mlir;

namespace drumlin {

#define GEN_PASS_DEF_FENCEGROUPSPASS
#include "drumlin/transforms/simplify/Passes.h.inc"

// Returns whether a value is a constant or a broadcast of a constant. Such a value costs nothing to
// recompute, and belongs to the groups of its users.
static bool isConstant(Value value) {
  Operation *op = value.getDefiningOp();
  return op && (isa<stablehlo::ConstantOp>(op) ||
                (isa<stablehlo::BroadcastInDimOp, stablehlo::ReshapeOp, stablehlo::ConvertOp>(op) &&
                 isConstant(op->getOperand(0))));
}

static bool isLimited(Operation *op) {
  return stablehlo::frontendAttribute(op, stablehlo::fuseLimit) == "true";
}

static llvm::StringRef groupOf(Operation *op) {
  return stablehlo::frontendAttribute(op, stablehlo::schedulingGroup);
}

// Returns whether a barrier before `user` can replace the value: an operation of the same block
// computes it.
static bool isFenced(Value value, Operation *user) {
  Operation *producer = value.getDefiningOp();
  return producer && producer->getBlock() == user->getBlock() &&
         isa<RankedTensorType>(value.getType()) && !isConstant(value) &&
         !isa<stablehlo::OptimizationBarrierOp>(producer);
}

// f(limited(x))  ==>  f(optimization_barrier(limited(x)))
static void fenceLimits(Block &block) {
  llvm::DenseMap<Value, Value> fenced;
  for (Operation &op : block.without_terminator()) {
    for (OpOperand &operand : op.getOpOperands()) {
      Value value = operand.get();
      if (!isFenced(value, &op) || isLimited(value.getDefiningOp()) == isLimited(&op)) {
        continue;
      }
      Value &barrier = fenced[value];
      if (!barrier) {
        OpBuilder builder(op.getContext());
        builder.setInsertionPointAfterValue(value);
        barrier = stablehlo::OptimizationBarrierOp::create(builder, value.getLoc(), value.getType(),
                                                           value)
                      ->getResult(0);
      }
      operand.set(barrier);
    }
  }
}

namespace {
// Consecutive operations of one scheduling group, without operations of other groups between them.
struct Segment {
  llvm::StringRef group;
  llvm::SmallSetVector<Operation *, 8> ops = {};

  // Returns the results that other segments use.
  SmallVector<Value> results() const {
    SmallVector<Value> made;
    for (Operation *op : ops) {
      for (Value result : op->getResults()) {
        bool isUsed =
            llvm::any_of(result.getUsers(), [&](Operation *user) { return !ops.contains(user); });
        if (isUsed && isa<RankedTensorType>(result.getType())) {
          made.push_back(result);
        }
      }
    }
    return made;
  }
};
} // namespace

// g(x) after a group that computes y  ==>  x', y' = optimization_barrier(x, y), g(x')
static void order(const Segment &before, const Segment &after) {
  SmallVector<Value> awaited = before.results();
  llvm::DenseMap<Value, Value> fenced;
  for (Operation *op : after.ops) {
    for (OpOperand &operand : op->getOpOperands()) {
      Value value = operand.get();
      bool isOwn = value.getDefiningOp() && after.ops.contains(value.getDefiningOp());
      if (isOwn || isConstant(value) || !isa<RankedTensorType>(value.getType())) {
        continue;
      }
      Value &barrier = fenced[value];
      if (!barrier) {
        llvm::SmallSetVector<Value, 4> values;
        values.insert(value);
        values.insert(awaited.begin(), awaited.end());
        OpBuilder builder(op);
        ValueRange given = values.getArrayRef();
        barrier =
            stablehlo::OptimizationBarrierOp::create(builder, op->getLoc(), given.getTypes(), given)
                ->getResult(0);
      }
      operand.set(barrier);
    }
  }
}

static void orderGroups(Block &block) {
  std::vector<Segment> segments;
  for (Operation &op : block.without_terminator()) {
    llvm::StringRef group = groupOf(&op);
    if (group.empty() || op.getNumResults() == 0 || isConstant(op.getResult(0))) {
      continue;
    }
    if (segments.empty() || segments.back().group != group) {
      segments.push_back({group});
    }
    segments.back().ops.insert(&op);
  }
  for (size_t i = 1; i < segments.size(); ++i) {
    order(segments[i - 1], segments[i]);
  }
}

struct FenceGroupsPass : impl::FenceGroupsPassBase<FenceGroupsPass> {
  void runOnOperation() override {
    bool hasLimits = false, hasGroups = false;
    getOperation().walk([&](Operation *op) {
      hasLimits |= isLimited(op);
      hasGroups |= !groupOf(op).empty();
    });
    if (!hasLimits && !hasGroups) {
      return;
    }
    getOperation().walk([&](Operation *op) {
      if (!isa<func::FuncOp, stablehlo::WhileOp, stablehlo::IfOp, stablehlo::CaseOp>(op)) {
        return;
      }
      for (Region &region : op->getRegions()) {
        for (Block &block : region) {
          if (hasLimits) {
            fenceLimits(block);
          }
          if (hasGroups) {
            orderGroups(block);
          }
        }
      }
    });
  }
};

} // namespace drumlin
