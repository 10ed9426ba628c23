#include "drumlin/transforms/KernelFormation.h"

#include "drumlin/ir/plan/Origin.h"
#include "drumlin/ir/plan/YieldOp.h"
#include "drumlin/ir/stablehlo/ConcatenateOp.h"
#include "drumlin/ir/stablehlo/ConstantOp.h"
#include "mlir/Analysis/TopologicalSortUtils.h"
#include "mlir/IR/IRMapping.h"
#include "mlir/Transforms/RegionUtils.h"
#include "llvm/ADT/SmallPtrSet.h"

using namespace mlir;

namespace drumlin {

size_t sizeInKernel(Operation *op) {
  return isa<stablehlo::ConcatenateOp>(op) ? std::max<size_t>(op->getNumOperands() / 2, 1) : 1;
}

size_t KernelGroup::size() const {
  size_t sum = 0;
  for (Operation *op : fused) {
    sum += sizeInKernel(op);
  }
  for (Operation *op : rematerialized) {
    sum += sizeInKernel(op);
  }
  return sum;
}

bool isKernelConstant(Operation *op) {
  if (!isa_and_nonnull<stablehlo::ConstantOp>(op)) {
    return false;
  }
  auto elements = dyn_cast<DenseElementsAttr>(op->getAttr("value"));
  return elements && (elements.isSplat() || elements.getNumElements() <= maxKernelConstantElements);
}

static bool isUsedOutside(Value value, const KernelGroup &group) {
  return llvm::any_of(value.getUsers(), [&](Operation *user) {
    // A user inside the region of a fused operation (a reducer) counts as that operation.
    Operation *ancestor = value.getParentBlock()->findAncestorOpInBlock(*user);
    return !ancestor || !group.fused.contains(ancestor);
  });
}

Operation *formKernel(const KernelGroup &group) {
  SmallVector<Operation *> ops(group.fused.begin(), group.fused.end());
  ops.append(group.rematerialized.begin(), group.rematerialized.end());
  llvm::sort(ops, [](Operation *a, Operation *b) { return a->isBeforeInBlock(b); });

  llvm::SetVector<Value> inputs;
  llvm::SetVector<Operation *> constants;
  auto addInput = [&](Value value) {
    Operation *defining = value.getDefiningOp();
    if (defining && group.contains(defining)) {
      return;
    }
    if (isKernelConstant(defining)) {
      constants.insert(defining);
    } else {
      inputs.insert(value);
    }
  };
  for (Operation *op : ops) {
    for (Value operand : op->getOperands()) {
      addInput(operand);
    }
    llvm::SetVector<Value> captured;
    getUsedValuesDefinedAbove(op->getRegions(), captured);
    for (Value value : captured) {
      addInput(value);
    }
  }
  SmallVector<Value> outputs;
  for (Operation *op : ops) {
    if (group.fused.contains(op)) {
      for (Value result : op->getResults()) {
        if (isUsedOutside(result, group)) {
          outputs.push_back(result);
        }
      }
    }
  }

  Operation *last = nullptr;
  for (Operation *op : group.fused) {
    last = !last || last->isBeforeInBlock(op) ? op : last;
  }
  OpBuilder builder(last->getContext());
  builder.setInsertionPointAfter(last);
  Location loc = plan::mergeLocations(last->getContext(), group.fused.getArrayRef());
  Operation *kernel = plan::createKernelForming(
      builder, loc, group.kind, ValueRange(outputs).getTypes(), inputs.getArrayRef());
  Block &body = kernel->getRegion(0).front();
  IRMapping mapping;
  mapping.map(inputs.getArrayRef(), body.getArguments());
  builder.setInsertionPointToEnd(&body);
  for (Operation *constant : constants) {
    builder.clone(*constant, mapping);
  }
  for (Operation *op : ops) {
    builder.clone(*op, mapping);
  }
  SmallVector<Value> yielded;
  for (Value output : outputs) {
    yielded.push_back(mapping.lookup(output));
  }
  plan::YieldOp::create(builder, loc, yielded);

  for (auto [output, result] : llvm::zip(outputs, kernel->getResults())) {
    output.replaceUsesWithIf(result, [&](OpOperand &use) {
      Operation *ancestor = kernel->getBlock()->findAncestorOpInBlock(*use.getOwner());
      return !ancestor || (!group.fused.contains(ancestor) && ancestor != kernel);
    });
  }
  for (Operation *op : llvm::reverse(ops)) {
    if (op->use_empty()) {
      op->erase();
    }
  }
  return kernel;
}

static bool standsBeforeUsers(Operation *op) {
  return llvm::all_of(op->getUsers(), [&](Operation *user) {
    Operation *ancestor = op->getBlock()->findAncestorOpInBlock(*user);
    return !ancestor || op->isBeforeInBlock(ancestor);
  });
}

Value copyWithOperands(OpBuilder &builder, Value value, IRMapping &mapping) {
  if (Value known = mapping.lookupOrNull(value)) {
    return known;
  }
  Operation *op = value.getDefiningOp();
  for (Value operand : op->getOperands()) {
    copyWithOperands(builder, operand, mapping);
  }
  builder.clone(*op, mapping);
  return mapping.lookup(value);
}

void pruneKernel(Operation *kernel) {
  Block &body = kernel->getRegion(0).front();
  auto operations = llvm::to_vector(llvm::make_pointer_range(body.without_terminator()));
  for (Operation *op : llvm::reverse(operations)) {
    if (op->use_empty()) {
      op->erase();
    }
  }
  for (unsigned i = body.getNumArguments(); i-- > 0;) {
    if (body.getArgument(i).use_empty()) {
      body.eraseArgument(i);
      kernel->eraseOperand(i);
    }
  }
}

void restoreOrder(Operation *kernel) {
  if (!standsBeforeUsers(kernel)) {
    sortTopologically(kernel->getBlock());
  }
}

void restoreOrder(Block &block) {
  if (!llvm::all_of(block, [](Operation &op) { return standsBeforeUsers(&op); })) {
    sortTopologically(&block);
  }
}

bool dependsOnGroupThroughOutside(Value value, const KernelGroup &group) {
  Operation *start = value.getDefiningOp();
  if (!start || group.fused.empty()) {
    return false;
  }
  // Operations before the group's first operation can't depend on the group.
  Operation *first = group.fused.front();
  for (Operation *op : group.fused) {
    first = op->isBeforeInBlock(first) ? op : first;
  }
  llvm::SmallPtrSet<Operation *, 16> seen;
  SmallVector<Operation *> worklist = {start};
  while (!worklist.empty()) {
    Operation *op = worklist.pop_back_val();
    if (!seen.insert(op).second || op->getBlock() != first->getBlock() ||
        op->isBeforeInBlock(first)) {
      continue;
    }
    if (group.fused.contains(op)) {
      return true;
    }
    for (Value operand : op->getOperands()) {
      if (Operation *defining = operand.getDefiningOp()) {
        worklist.push_back(defining);
      }
    }
    llvm::SetVector<Value> captured;
    getUsedValuesDefinedAbove(op->getRegions(), captured);
    for (Value capture : captured) {
      if (Operation *defining = capture.getDefiningOp()) {
        worklist.push_back(defining);
      }
    }
  }
  return false;
}

} // namespace drumlin
