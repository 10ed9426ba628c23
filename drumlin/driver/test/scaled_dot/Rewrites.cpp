#include "Rewrites.h"

#include "drumlin/ir/plan/OperationClasses.h"
#include "drumlin/ir/stablehlo/AddOp.h"
#include "drumlin/ir/stablehlo/BroadcastInDimOp.h"
#include "drumlin/ir/stablehlo/ClampOp.h"
#include "drumlin/ir/stablehlo/ConcatenateOp.h"
#include "drumlin/ir/stablehlo/ConvertOp.h"
#include "drumlin/ir/stablehlo/DotGeneralOp.h"
#include "drumlin/ir/stablehlo/MaxOp.h"
#include "drumlin/ir/stablehlo/MinOp.h"
#include "drumlin/ir/stablehlo/MulOp.h"
#include "drumlin/ir/stablehlo/ReshapeOp.h"
#include "drumlin/ir/stablehlo/SliceOp.h"
#include "drumlin/ir/stablehlo/StablehloTypes.h"
#include "drumlin/ir/stablehlo/TransposeOp.h"
#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "llvm/ADT/SmallPtrSet.h"

using namespace mlir;

namespace drumlin {

namespace {
class Respeller {
public:
  Respeller(Block &block, std::mt19937_64 &random)
      : block(block), random(random), builder(block.getParentOp()->getContext()) {}

  // Applies one random kind of rewrite to an operation. Returns false if this kind doesn't apply to
  // any operation.
  bool rewrite() {
    SmallVector<Operation *> ops;
    for (Operation &op : block.without_terminator()) {
      ops.push_back(&op);
    }
    std::shuffle(ops.begin(), ops.end(), random);
    uint64_t kind = random() % 9;
    return llvm::any_of(ops, [&](Operation *op) { return apply(kind, op); });
  }

  // Reorders operations; every value is still defined before it is used.
  void reorder() {
    SmallVector<Operation *> waiting;
    for (Operation &op : block.without_terminator()) {
      waiting.push_back(&op);
    }
    llvm::SmallPtrSet<Operation *, 32> placed;
    while (!waiting.empty()) {
      SmallVector<size_t> ready;
      for (auto [i, op] : llvm::enumerate(waiting)) {
        bool isReady = llvm::all_of(op->getOperands(), [&](Value operand) {
          Operation *defining = operand.getDefiningOp();
          return !defining || placed.contains(defining);
        });
        if (isReady) {
          ready.push_back(i);
        }
      }
      size_t chosen = ready[random() % ready.size()];
      waiting[chosen]->moveBefore(block.getTerminator());
      placed.insert(waiting[chosen]);
      waiting.erase(waiting.begin() + static_cast<std::ptrdiff_t>(chosen));
    }
  }

private:
  static ArrayRef<int64_t> shape(Value value) { return shapeOf(value); }

  bool apply(uint64_t kind, Operation *op) {
    builder.setInsertionPoint(op);
    switch (kind) {
    case 0:
      return commute(op);
    case 1:
      return repeat(op);
    case 2:
      return transposeTwice(op);
    case 3:
      return reshapeTwice(op);
    case 4:
      return transposeAround(op);
    case 5:
      return swapDot(op);
    case 6:
      return convertEarlier(op);
    case 7:
      return boundTwice(op);
    default:
      return cutAndJoin(op);
    }
  }

  // Swaps operands: a + b = b + a
  bool commute(Operation *op) {
    if (!isa<stablehlo::AddOp, stablehlo::MulOp, stablehlo::MaxOp>(op)) {
      return false;
    }
    Value first = op->getOperand(0);
    op->setOperand(0, op->getOperand(1));
    op->setOperand(1, first);
    return true;
  }

  // Gives one of several users its own copy of an operation.
  bool repeat(Operation *op) {
    bool isCheap = classify(op) == OperationClass::Pointwise ||
                   classify(op) == OperationClass::DataMovement ||
                   classify(op) == OperationClass::Constant;
    if (!isCheap || op->getResult(0).hasOneUse() || op->use_empty()) {
      return false;
    }
    Operation *copy = builder.clone(*op);
    op->getResult(0).getUses().begin()->set(copy->getResult(0));
    return true;
  }

  SmallVector<int64_t> randomOrder(size_t rank) {
    SmallVector<int64_t> order = llvm::to_vector(llvm::seq<int64_t>(0, static_cast<int64_t>(rank)));
    std::shuffle(order.begin(), order.end(), random);
    return order;
  }

  static SmallVector<int64_t> inverse(ArrayRef<int64_t> order) {
    SmallVector<int64_t> result(order.size());
    for (auto [i, dimension] : llvm::enumerate(order)) {
      result[static_cast<size_t>(dimension)] = static_cast<int64_t>(i);
    }
    return result;
  }

  Value transpose(Value value, ArrayRef<int64_t> order) {
    return stablehlo::TransposeOp::create(builder, value.getLoc(), value, order);
  }

  static bool isPointwiseFloat(Operation *op) {
    return classify(op) == OperationClass::Pointwise && op->getNumResults() == 1 &&
           shape(op->getResult(0)).size() >= 2;
  }

  void replaceAllUsesButThose(Operation *op, Value with, ArrayRef<Operation *> of) {
    llvm::SmallPtrSet<Operation *, 4> kept(of.begin(), of.end());
    op->getResult(0).replaceUsesWithIf(
        with, [&](OpOperand &use) { return !kept.contains(use.getOwner()); });
  }

  // Inserts x = transpose(transpose(x))
  bool transposeTwice(Operation *op) {
    if (!isPointwiseFloat(op)) {
      return false;
    }
    builder.setInsertionPointAfter(op);
    SmallVector<int64_t> order = randomOrder(shape(op->getResult(0)).size());
    Value first = transpose(op->getResult(0), order);
    Value second = transpose(first, inverse(order));
    replaceAllUsesButThose(op, second, {first.getDefiningOp()});
    return true;
  }

  // Inserts x = reshape(reshape(x))
  bool reshapeTwice(Operation *op) {
    if (!isPointwiseFloat(op)) {
      return false;
    }
    builder.setInsertionPointAfter(op);
    auto type = cast<RankedTensorType>(op->getResult(0).getType());
    auto flat = RankedTensorType::get({type.getNumElements()}, type.getElementType());
    Value first = stablehlo::ReshapeOp::create(builder, op->getLoc(), flat, op->getResult(0));
    Value second = stablehlo::ReshapeOp::create(builder, op->getLoc(), type, first);
    replaceAllUsesButThose(op, second, {first.getDefiningOp()});
    return true;
  }

  // Rewrites f(x, y) = transpose(f(transpose(x), transpose(y)))
  bool transposeAround(Operation *op) {
    if (!isPointwiseFloat(op) || op->getNumRegions() != 0) {
      return false;
    }
    bool sameShape = llvm::all_of(op->getOperands(), [&](Value operand) {
      return shape(operand) == shape(op->getResult(0));
    });
    if (!sameShape) {
      return false;
    }
    SmallVector<int64_t> order = randomOrder(shape(op->getResult(0)).size());
    OperationState state(op->getLoc(), op->getName());
    SmallVector<int64_t> turned;
    for (int64_t dimension : order) {
      turned.push_back(shape(op->getResult(0))[static_cast<size_t>(dimension)]);
    }
    for (Value operand : op->getOperands()) {
      state.addOperands(transpose(operand, order));
    }
    state.addTypes(cast<RankedTensorType>(op->getResult(0).getType()).clone(turned));
    state.addAttributes(op->getAttrs());
    Operation *inner = builder.create(state);
    op->getResult(0).replaceAllUsesWith(transpose(inner->getResult(0), inverse(order)));
    op->erase();
    return true;
  }

  // Rewrites dot(a, b) = transpose(dot(b, a))
  bool swapDot(Operation *op) {
    auto dot = dyn_cast<stablehlo::DotGeneralOp>(op);
    if (!dot) {
      return false;
    }
    auto numbers = dot.getDotDimensionNumbers();
    auto batch = static_cast<int64_t>(numbers.getLhsBatchingDimensions().size());
    ArrayRef<int64_t> given = shape(dot.getResult());
    SmallVector<int64_t> order = llvm::to_vector(llvm::seq<int64_t>(0, batch));
    order.append({batch + 1, batch});
    SmallVector<int64_t> turned(given);
    std::swap(turned[static_cast<size_t>(batch)], turned[static_cast<size_t>(batch) + 1]);
    auto swapped = stablehlo::DotDimensionNumbersAttr::get(
        dot.getContext(), numbers.getRhsBatchingDimensions(), numbers.getLhsBatchingDimensions(),
        numbers.getRhsContractingDimensions(), numbers.getLhsContractingDimensions());
    auto type = cast<RankedTensorType>(dot.getResult().getType()).clone(turned);
    auto made = stablehlo::DotGeneralOp::create(builder, dot.getLoc(), type, dot.getRhs(),
                                                dot.getLhs(), swapped, nullptr, nullptr);
    dot.getResult().replaceAllUsesWith(transpose(made.getResult(), order));
    dot.erase();
    return true;
  }

  // Rewrites convert(move(x)) = move(convert(x))
  bool convertEarlier(Operation *op) {
    auto convert = dyn_cast<stablehlo::ConvertOp>(op);
    Operation *move = convert ? convert.getOperand().getDefiningOp() : nullptr;
    if (!isa_and_nonnull<stablehlo::BroadcastInDimOp, stablehlo::ReshapeOp, stablehlo::TransposeOp>(
            move)) {
      return false;
    }
    Type element = getElementTypeOrSelf(convert.getResult().getType());
    auto from = cast<RankedTensorType>(move->getOperand(0).getType());
    Value early = stablehlo::ConvertOp::create(builder, op->getLoc(), from.clone(element),
                                               move->getOperand(0));
    Operation *moved = builder.clone(*move);
    moved->setOperand(0, early);
    moved->getResult(0).setType(cast<RankedTensorType>(convert.getResult().getType()));
    convert.getResult().replaceAllUsesWith(moved->getResult(0));
    convert.erase();
    return true;
  }

  // Rewrites clamp(low, x, high) = minimum(maximum(x, low), high)
  bool boundTwice(Operation *op) {
    auto clamp = dyn_cast<stablehlo::ClampOp>(op);
    if (!clamp || shape(clamp->getOperand(0)) != shape(clamp->getOperand(1))) {
      return false;
    }
    Value bounded =
        stablehlo::MaxOp::create(builder, op->getLoc(), clamp->getOperand(1), clamp->getOperand(0));
    bounded = stablehlo::MinOp::create(builder, op->getLoc(), bounded, clamp->getOperand(2));
    clamp->getResult(0).replaceAllUsesWith(bounded);
    clamp->erase();
    return true;
  }

  // Rewrites a dot's operand as concatenate(its first part, its second part)
  bool cutAndJoin(Operation *op) {
    auto dot = dyn_cast<stablehlo::DotGeneralOp>(op);
    if (!dot) {
      return false;
    }
    unsigned side = static_cast<unsigned>(random() % 2);
    Value operand = dot->getOperand(side);
    ArrayRef<int64_t> sizes = shape(operand);
    size_t dimension = random() % sizes.size();
    if (sizes[dimension] < 2) {
      return false;
    }
    int64_t cut = 1 + static_cast<int64_t>(random() % static_cast<uint64_t>(sizes[dimension] - 1));
    SmallVector<int64_t> zeros(sizes.size(), 0), ones(sizes.size(), 1), middle(sizes),
        start = zeros;
    middle[dimension] = cut;
    start[dimension] = cut;
    Value parts[] = {
        stablehlo::SliceOp::create(builder, op->getLoc(), operand, zeros, middle, ones),
        stablehlo::SliceOp::create(builder, op->getLoc(), operand, start, sizes, ones)};
    Value joined = stablehlo::ConcatenateOp::create(builder, op->getLoc(), ValueRange(parts),
                                                    static_cast<int64_t>(dimension));
    dot->setOperand(side, joined);
    return true;
  }

  Block &block;
  std::mt19937_64 &random;
  OpBuilder builder;
};
} // namespace

void respell(ModuleOp module, int count, std::mt19937_64 &random) {
  Respeller respeller(module.lookupSymbol<func::FuncOp>("main").getBody().front(), random);
  for (int applied = 0, attempts = 0; applied < count && attempts < 20 * count; ++attempts) {
    applied += respeller.rewrite() ? 1 : 0;
  }
  respeller.reorder();
}

} // namespace drumlin
