// Finds the dimensions that must have equal sizes.
#include "drumlin/driver/reduce/DimensionClasses.h"

#include "drumlin/driver/reduce/Edits.h"
#include "drumlin/ir/stablehlo/ProductRoles.h"
#include "drumlin/ir/stablehlo/StablehloOps.h"

using namespace mlir;

namespace drumlin::reduce {

static int64_t rankOf(Value value) {
  auto tensor = dyn_cast<RankedTensorType>(value.getType());
  return tensor ? tensor.getRank() : 0;
}

DimensionClasses::DimensionClasses(ModuleOp module) : module(module) {
  auto add = [&](Value value) {
    auto tensor = dyn_cast<RankedTensorType>(value.getType());
    if (!tensor) {
      return;
    }
    nodes[value] = static_cast<unsigned>(sizes.size());
    for (int64_t size : tensor.getShape()) {
      parents.push_back(static_cast<unsigned>(sizes.size()));
      sizes.push_back(size);
    }
  };
  module->walk<WalkOrder::PreOrder>([&](Operation *op) {
    llvm::for_each(op->getResults(), add);
    for (Region &region : op->getRegions()) {
      llvm::for_each(region.getArguments(), add);
    }
  });
  module->walk([&](Operation *op) { linkOperation(op); });
}

unsigned DimensionClasses::root(unsigned node) const {
  while (parents[node] != node) {
    parents[node] = parents[parents[node]];
    node = parents[node];
  }
  return node;
}

unsigned DimensionClasses::node(Value value, int64_t dimension) const {
  return nodes.at(value) + static_cast<unsigned>(dimension);
}

SmallVector<unsigned> DimensionClasses::classes() const {
  SmallVector<unsigned> roots;
  for (unsigned i = 0; i < parents.size(); ++i) {
    if (root(i) == i) {
      roots.push_back(i);
    }
  }
  return roots;
}

SmallVector<int64_t> DimensionClasses::shapeNow(Value value) const {
  SmallVector<int64_t> shape;
  for (int64_t i = 0; i < rankOf(value); ++i) {
    shape.push_back(sizeOf(value, i));
  }
  return shape;
}

//===-- links ---------------------------------------------------------------------------------===//

void DimensionClasses::link(Value a, int64_t ofA, Value b, int64_t ofB) {
  unsigned one = root(node(a, ofA)), other = root(node(b, ofB));
  if (sizes[one] == sizes[other]) {
    // The root of a class is its dimension with the smallest number, for any order of links.
    parents[std::max(one, other)] = std::min(one, other);
  }
}

// Values of different ranks aren't linked: a scalar operand stays a scalar.
void DimensionClasses::linkAll(Value a, Value b) {
  if (rankOf(a) == rankOf(b)) {
    for (int64_t i = 0; i < rankOf(a); ++i) {
      link(a, i, b, i);
    }
  }
}

template <typename Values> void DimensionClasses::linkEach(Values &&values) {
  for (Value value : values) {
    linkAll(*values.begin(), value);
  }
}

static bool isSameShape(Operation *op) {
  return op->hasTrait<OpTrait::Elementwise>() ||
         isa<stablehlo::ClampOp, stablehlo::SelectOp, stablehlo::ReverseOp, stablehlo::SortOp,
             stablehlo::CholeskyOp>(op);
}

void DimensionClasses::linkOperation(Operation *op) {
  if (isSameShape(op) && op->getNumOperands() > 0) {
    for (Value operand : op->getOperands()) {
      linkAll(op->getResult(0), operand);
    }
    linkEach(op->getResults());
  } else if (isControl(op) || isa<func::CallOp, stablehlo::OptimizationBarrierOp>(op)) {
    linkControl(op);
  } else if (isa<stablehlo::DotGeneralOp, stablehlo::ConvolutionOp>(op)) {
    linkContraction(op);
  } else if (isa<stablehlo::GatherOp, stablehlo::ScatterOp, stablehlo::DynamicSliceOp,
                 stablehlo::DynamicUpdateSliceOp>(op)) {
    linkIndexed(op);
  } else if (isa<stablehlo::ReshapeOp>(op)) {
    linkReshape(op);
  } else {
    linkShapes(op);
  }
}

void DimensionClasses::linkControl(Operation *op) {
  auto linkPairs = [&](ValueRange a, ValueRange b) {
    for (auto [one, other] : llvm::zip(a, b)) {
      linkAll(one, other);
    }
  };
  if (isa<stablehlo::OptimizationBarrierOp>(op)) {
    return linkPairs(op->getOperands(), op->getResults());
  }
  if (auto call = dyn_cast<func::CallOp>(op)) {
    auto callee = SymbolTable::lookupNearestSymbolFrom<func::FuncOp>(op, call.getCalleeAttr());
    linkPairs(op->getOperands(), callee.getArguments());
    return linkPairs(op->getResults(), callee.getBody().front().getTerminator()->getOperands());
  }
  auto loop = dyn_cast<stablehlo::WhileOp>(op);
  if (loop) {
    linkPairs(op->getOperands(), op->getResults());
    linkPairs(op->getOperands(), loop.getCond().getArguments());
    linkPairs(op->getOperands(), loop.getBody().getArguments());
  }
  for (Region &region : op->getRegions()) {
    if (!loop || &region == &loop.getBody()) {
      linkPairs(op->getResults(), region.front().getTerminator()->getOperands());
    }
  }
}

// Returns whether the window covers one element at a time in this dimension, so that operand and
// result have the same size.
static bool isTrivial(stablehlo::ReduceWindowOp op, size_t i) {
  return op.getWindowDimensions()[i] == 1 && op.windowStridesOrDefault()[i] == 1 &&
         op.baseDilationsOrDefault()[i] == 1 &&
         op.paddingOrDefault()[i] == std::pair<int64_t, int64_t>(0, 0);
}

void DimensionClasses::linkShapes(Operation *op) {
  if (auto transpose = dyn_cast<stablehlo::TransposeOp>(op)) {
    for (auto [i, from] : llvm::enumerate(transpose.getPermutation())) {
      link(transpose.getResult(), static_cast<int64_t>(i), transpose.getOperand(), from);
    }
  } else if (auto broadcast = dyn_cast<stablehlo::BroadcastInDimOp>(op)) {
    for (auto [i, to] : llvm::enumerate(broadcast.getBroadcastDimensions())) {
      link(broadcast.getOperand(), static_cast<int64_t>(i), broadcast.getResult(), to);
    }
  } else if (auto concatenate = dyn_cast<stablehlo::ConcatenateOp>(op)) {
    for (Value input : concatenate.getInputs()) {
      for (int64_t i = 0; i < rankOf(input); ++i) {
        if (i != static_cast<int64_t>(concatenate.getDimension())) {
          link(input, i, concatenate.getResult(), i);
        }
      }
    }
  } else if (auto reduce = dyn_cast<stablehlo::ReduceOp>(op)) {
    linkEach(reduce.getInputs());
    linkEach(reduce.getResults());
    int64_t next = 0;
    for (int64_t i = 0; i < rankOf(reduce.getInputs()[0]); ++i) {
      if (!llvm::is_contained(reduce.getDimensions(), i)) {
        link(reduce.getInputs()[0], i, reduce.getResults()[0], next++);
      }
    }
  } else if (auto window = dyn_cast<stablehlo::ReduceWindowOp>(op)) {
    linkEach(window.getInputs());
    linkEach(window.getResults());
    for (int64_t i = 0; i < rankOf(window.getInputs()[0]); ++i) {
      if (isTrivial(window, static_cast<size_t>(i))) {
        link(window.getInputs()[0], i, window.getResults()[0], i);
      }
    }
  } else if (auto scatter = dyn_cast<stablehlo::SelectAndScatterOp>(op)) {
    linkAll(scatter.getOperand(), scatter.getResult());
  } else if (isa<stablehlo::BatchNormTrainingOp, stablehlo::BatchNormInferenceOp,
                 stablehlo::BatchNormGradOp>(op)) {
    int64_t feature = op->getAttrOfType<IntegerAttr>("feature_index").getInt();
    Value operand = op->getOperand(0);
    auto linkOne = [&](Value value) {
      if (rankOf(value) == 1 && rankOf(operand) != 1) {
        link(value, 0, operand, feature);
      } else {
        linkAll(value, operand);
      }
    };
    llvm::for_each(op->getOperands(), linkOne);
    llvm::for_each(op->getResults(), linkOne);
  }
}

void DimensionClasses::linkReshape(Operation *op) {
  Value operand = op->getOperand(0), result = op->getResult(0);
  int64_t i = 0, j = 0;
  auto skipOnes = [&] {
    while (i < rankOf(operand) && sizeOf(operand, i) == 1) {
      ++i;
    }
    while (j < rankOf(result) && sizeOf(result, j) == 1) {
      ++j;
    }
  };
  SmallVector<ReshapeGroup> groups;
  for (skipOnes(); i < rankOf(operand) && j < rankOf(result); skipOnes()) {
    ReshapeGroup group = {{i}, {j}};
    int64_t left = sizeOf(operand, i++), right = sizeOf(result, j++);
    while (left != right) {
      if (left < right && i < rankOf(operand)) {
        left *= sizeOf(operand, i);
        group.operand.push_back(i++);
      } else if (right < left && j < rankOf(result)) {
        right *= sizeOf(result, j);
        group.result.push_back(j++);
      } else {
        return;
      }
    }
    groups.push_back(std::move(group));
  }
  for (const ReshapeGroup &group : groups) {
    if (group.operand.size() == 1 && group.result.size() == 1) {
      link(operand, group.operand[0], result, group.result[0]);
    }
  }
  reshapes[op] = std::move(groups);
}

void DimensionClasses::linkContraction(Operation *op) {
  Value lhs = op->getOperand(0), rhs = op->getOperand(1), result = op->getResult(0);
  if (auto dot = dyn_cast<stablehlo::DotGeneralOp>(op)) {
    stablehlo::ProductRoles roles(dot);
    int64_t next = 0;
    for (auto [left, right] : llvm::zip(roles.lhs().batch, roles.rhs().batch)) {
      link(lhs, left, rhs, right);
      link(lhs, left, result, next++);
    }
    for (auto [left, right] : llvm::zip(roles.lhs().contracting, roles.rhs().contracting)) {
      link(lhs, left, rhs, right);
    }
    for (int64_t left : roles.lhs().free) {
      link(lhs, left, result, next++);
    }
    for (int64_t right : roles.rhs().free) {
      link(rhs, right, result, next++);
    }
    return;
  }
  auto convolution = cast<stablehlo::ConvolutionOp>(op);
  stablehlo::ConvDimensionNumbersAttr numbers = convolution.getDimensionNumbers();
  link(lhs, numbers.getInputBatchDimension(), result, numbers.getOutputBatchDimension());
  link(lhs, numbers.getInputFeatureDimension(), rhs, numbers.getKernelInputFeatureDimension());
  link(rhs, numbers.getKernelOutputFeatureDimension(), result, numbers.getOutputFeatureDimension());
}

void DimensionClasses::linkIndexed(Operation *op) {
  if (auto gather = dyn_cast<stablehlo::GatherOp>(op)) {
    stablehlo::GatherDimensionNumbersAttr numbers = gather.getDimensionNumbers();
    int64_t batch = 0;
    for (int64_t i = 0; i < rankOf(gather.getResult()); ++i) {
      if (!llvm::is_contained(numbers.getOffsetDims(), i)) {
        batch += batch == numbers.getIndexVectorDim();
        link(gather.getResult(), i, gather.getStartIndices(), batch++);
      }
    }
    size_t next = 0;
    for (int64_t i = 0; i < rankOf(gather.getOperand()); ++i) {
      if (!llvm::is_contained(numbers.getCollapsedSliceDims(), i) &&
          !llvm::is_contained(numbers.getOperandBatchingDims(), i)) {
        link(gather.getOperand(), i, gather.getResult(), numbers.getOffsetDims()[next++]);
      }
    }
    for (auto [i, other] :
         llvm::zip(numbers.getOperandBatchingDims(), numbers.getStartIndicesBatchingDims())) {
      link(gather.getOperand(), i, gather.getStartIndices(), other);
    }
    return;
  }
  if (auto scatter = dyn_cast<stablehlo::ScatterOp>(op)) {
    stablehlo::ScatterDimensionNumbersAttr numbers = scatter.getScatterDimensionNumbers();
    linkEach(scatter.getInputs());
    linkEach(scatter.getUpdates());
    for (Value result : scatter.getResults()) {
      linkAll(scatter.getInputs()[0], result);
    }
    int64_t batch = 0;
    for (int64_t i = 0; i < rankOf(scatter.getUpdates()[0]); ++i) {
      if (!llvm::is_contained(numbers.getUpdateWindowDims(), i)) {
        batch += batch == numbers.getIndexVectorDim();
        link(scatter.getUpdates()[0], i, scatter.getScatterIndices(), batch++);
      }
    }
    size_t next = 0;
    for (int64_t i = 0; i < rankOf(scatter.getInputs()[0]); ++i) {
      if (!llvm::is_contained(numbers.getInsertedWindowDims(), i) &&
          !llvm::is_contained(numbers.getInputBatchingDims(), i)) {
        link(scatter.getInputs()[0], i, scatter.getUpdates()[0],
             numbers.getUpdateWindowDims()[next++]);
      }
    }
    for (auto [i, other] :
         llvm::zip(numbers.getInputBatchingDims(), numbers.getScatterIndicesBatchingDims())) {
      link(scatter.getInputs()[0], i, scatter.getScatterIndices(), other);
    }
    return;
  }
  linkAll(op->getOperand(0), op->getResult(0));
  if (auto update = dyn_cast<stablehlo::DynamicUpdateSliceOp>(op)) {
    linkAll(update.getOperand(), update.getUpdate());
  }
}

} // namespace drumlin::reduce
