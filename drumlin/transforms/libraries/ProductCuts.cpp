#include "drumlin/transforms/libraries/ProductCuts.h"

#include "drumlin/ir/indexing/IndexingInterface.h"
#include "drumlin/ir/plan/GemmOp.h"
#include "drumlin/ir/plan/OperationClasses.h"
#include "drumlin/ir/stablehlo/BroadcastInDimOp.h"
#include "drumlin/ir/stablehlo/ConstantOp.h"
#include "drumlin/ir/stablehlo/DotGeneralOp.h"
#include "drumlin/ir/stablehlo/ProductRoles.h"
#include "drumlin/ir/stablehlo/StablehloTypes.h"
#include "drumlin/target/LibraryTable.h"
#include "drumlin/transforms/libraries/ReadValue.h"
#include "mlir/Analysis/SliceAnalysis.h"
#include "llvm/ADT/DenseSet.h"
#include "llvm/ADT/SetVector.h"

using namespace mlir;

namespace drumlin {

static int64_t elements(Value value) {
  return cast<RankedTensorType>(value.getType()).getNumElements();
}

static int64_t bits(Value value) { return info(elementTypeOf(value.getType())).bits; }
static int64_t bytes(Value value) { return (elements(value) * bits(value) + 7) / 8; }

bool isOneNumber(Value value) {
  if (elements(value) == 1) {
    return true;
  }
  if (auto constant = value.getDefiningOp<stablehlo::ConstantOp>()) {
    return isa<SplatElementsAttr>(constant.getValue());
  }
  auto broadcast = value.getDefiningOp<stablehlo::BroadcastInDimOp>();
  return broadcast && isOneNumber(broadcast.getOperand());
}

static bool isElementwise(Operation *op) {
  return classify(op) == OperationClass::Pointwise && op->getNumResults() == 1;
}

// Returns the operand from which a step takes its elements. For an elementwise operation, this is
// its only operand that isn't a scalar. Returns null if there is no such operand.
static Value elementsOfStep(Operation *op) {
  if (isStridedMovement(op)) {
    return op->getOperand(0);
  }
  if (!isElementwise(op)) {
    return nullptr;
  }
  Value found;
  for (Value operand : op->getOperands()) {
    if (isOneNumber(operand)) {
      continue;
    }
    if (found) {
      return nullptr;
    }
    found = operand;
  }
  return found;
}

static llvm::SetVector<Operation *> sliceOf(Value value) {
  llvm::SetVector<Operation *> slice;
  BackwardSliceOptions options;
  options.inclusive = true;
  options.omitBlockArguments = true;
  options.filter = [&](Operation *op) { return op->getBlock() == value.getParentBlock(); };
  if (value.getDefiningOp()) {
    (void)getBackwardSlice(value, &slice, options);
  }
  return slice;
}

static bool dependsOn(Value value, Value on) {
  return value == on || llvm::any_of(sliceOf(value), [&](Operation *op) {
           return llvm::is_contained(op->getOperands(), on);
         });
}

SmallVector<Operation *> stepsBetween(Value value, Value to) {
  SmallVector<Operation *> steps;
  while (to != value) {
    Operation *op = to.getDefiningOp();
    if (!op || !(isStridedMovement(op) || isElementwise(op))) {
      return {};
    }
    steps.push_back(op);
    to = elementsOfStep(op);
    if (!to || !dependsOn(to, value)) {
      auto *other = llvm::find_if(op->getOpOperands(),
                                  [&](OpOperand &each) { return dependsOn(each.get(), value); });
      if (other == op->getOpOperands().end()) {
        return {};
      }
      to = other->get();
    }
  }
  std::reverse(steps.begin(), steps.end());
  return steps;
}

// Returns the order of a value's dimensions that gives the result of `steps` the order `wanted`.
// Returns nothing if one dimension of the value becomes several dimensions that aren't adjacent in
// that order, or if the steps leave out elements.
static std::optional<SmallVector<int64_t>> orderThrough(Value value, ArrayRef<Operation *> steps,
                                                        ArrayRef<int64_t> wanted) {
  ArrayRef<int64_t> shape = cast<RankedTensorType>(value.getType()).getShape();
  StridedView own = rowMajorView(shape);
  std::optional<StridedView> view = own;
  for (Operation *op : steps) {
    view = !view                   ? view
           : isStridedMovement(op) ? viewThrough(*dataMovementIndexing(op), *view)
                                   : view;
  }
  if (!view || view->offset != 0) {
    return std::nullopt;
  }
  SmallVector<int64_t> order;
  StridedFactor before = {1, 0};
  for (int64_t dimension : wanted) {
    for (StridedFactor factor : view->dimensions[static_cast<size_t>(dimension)]) {
      if (factor.stride == 0) {
        continue; // stride 0: a repeated dimension
      }
      // Number of the value's dimension along which this stride moves.
      int64_t number = 0;
      for (auto [i, strides] : llvm::enumerate(own.dimensions)) {
        bool isIn = !strides.empty() && factor.stride >= strides.back().stride &&
                    factor.stride < strides.back().stride * shape[i];
        number = isIn ? static_cast<int64_t>(i) : number;
      }
      if (order.empty() || order.back() != number) {
        order.push_back(number);
      } else if (before.stride != factor.stride * factor.size) {
        return std::nullopt;
      }
      before = factor;
    }
  }
  for (auto [i, size] : llvm::enumerate(shape)) {
    if (size == 1) {
      order.push_back(static_cast<int64_t>(i));
    }
  }
  SmallVector<int64_t> sorted = order;
  llvm::sort(sorted);
  bool hasEachOnce = llvm::equal(sorted, llvm::seq(static_cast<int64_t>(shape.size())));
  return hasEachOnce ? std::optional(std::move(order)) : std::nullopt;
}

namespace {
// Finds the ways to cut one operand of a dot.
class OperandCutter {
public:
  OperandCutter(stablehlo::DotGeneralOp dot, bool isLeft)
      : operand(isLeft ? dot.getLhs() : dot.getRhs()) {
    stablehlo::ProductRoles roles(dot);
    const stablehlo::ProductRoles::Operand &own = isLeft ? roles.lhs() : roles.rhs();
    llvm::append_range(wanted, own.batch);
    llvm::append_range(wanted, own.free);
    llvm::append_range(wanted, own.contracting);
  }

  std::vector<OperandCut> run() {
    cuts.emplace_back();
    // The narrowest value before the dot can be stored and reloaded without computation, e.g. a
    // quantized value, or an input whose layout the library can't read.
    Value narrowest;
    auto consider = [&](Value value) {
      bool isNumbers =
          elements(value) == elements(operand) && !isOneNumber(value) && bits(value) > 1;
      if (isNumbers && (!narrowest || bits(value) <= bits(narrowest))) {
        narrowest = value;
      }
    };
    llvm::SetVector<Operation *> slice = sliceOf(operand);
    for (Operation *op : slice) {
      for (Value from : op->getOperands()) {
        if (isa<BlockArgument>(from)) {
          consider(from);
        }
      }
    }
    for (Operation *op : slice) {
      if (op->getNumResults() == 1) {
        consider(op->getResult(0));
      }
    }
    if (narrowest && bits(narrowest) < bits(operand)) {
      add(narrowest);
    }
    add(operand);
    return std::move(cuts);
  }

private:
  void add(Value value) {
    // Skips data movement, which stays in the kernel of the GEMM.
    Value whole = value;
    while (Operation *op = value.getDefiningOp()) {
      if (!isStridedMovement(op)) {
        break;
      }
      value = op->getOperand(0);
    }
    if (isOneNumber(value)) {
      value = operand; // the library must read even a splat operand from memory
    }
    Value input = value;
    bool computes = false;
    while (Operation *op = input.getDefiningOp()) {
      Value from = elementsOfStep(op);
      if (!from) {
        break;
      }
      computes |= !isStridedMovement(op);
      input = from;
    }
    auto argument = dyn_cast<BlockArgument>(input);
    bool isAsInput = argument && computes && elements(argument) <= elements(value);
    Value made = isAsInput ? Value(argument) : value;
    int64_t rank = cast<RankedTensorType>(made.getType()).getRank();
    auto natural = llvm::to_vector(llvm::seq<int64_t>(rank));
    if (!isa<BlockArgument>(value)) {
      push({value, isAsInput ? argument : BlockArgument(), natural});
    }
    std::optional<SmallVector<int64_t>> order = orderOf(made);
    if (order) {
      push({value, isAsInput ? argument : BlockArgument(), std::move(*order)});
    }
    // Alternatively, cuts after the data movement; or stores the full operand, with its repeated
    // elements and without the elements that data movement leaves out.
    std::optional<SmallVector<int64_t>> ofWhole = order ? std::nullopt : orderOf(whole);
    if (ofWhole) {
      push({whole, BlockArgument(), std::move(*ofWhole)});
    } else if (!order || elements(made) != elements(operand)) {
      push({operand, BlockArgument(), wanted});
    }
  }

  // Returns the dimension order of a value for which the operand has the library's preferred order.
  std::optional<SmallVector<int64_t>> orderOf(Value value) const {
    SmallVector<Operation *> steps = stepsBetween(value, operand);
    bool isReached = value == operand || !steps.empty();
    return isReached ? orderThrough(value, steps, wanted) : std::nullopt;
  }

  void push(OperandCut cut) {
    bool isKnown = llvm::any_of(cuts, [&](const OperandCut &known) {
      return known.value == cut.value && known.input == cut.input && known.order == cut.order;
    });
    bool isInputItself = isa<BlockArgument>(cut.value) && llvm::is_sorted(cut.order);
    if (!isKnown && !isInputItself) {
      cuts.push_back(std::move(cut));
    }
  }

  Value operand;
  SmallVector<int64_t> wanted; // the library's preferred order: batch, free, contracting
  std::vector<OperandCut> cuts;
};
} // namespace

// Returns the bytes of writing and reading the cut value.
static int64_t bytesOf(const OperandCut &cut) {
  if (!cut.value) {
    return 0;
  }
  int64_t made = cut.input ? (elements(cut.input) * bits(cut.value) + 7) / 8 : bytes(cut.value);
  return 2 * made;
}

// Returns the type of the operand's data: the type of the input with the most elements. If two
// inputs have the most elements, returns the narrower type.
static ElementType readType(plan::GemmOp gemm, Value operand) {
  BlockArgument data;
  auto key = [](BlockArgument each) { return std::pair(-elements(each), bits(each)); };
  for (BlockArgument input : gemm.getBody().front().getArguments()) {
    bool isNumbers = bits(input) > 1 && dependsOn(operand, input);
    if (isNumbers && (!data || key(input) < key(data))) {
      data = input;
    }
  }
  return elementTypeOf((data ? Value(data) : operand).getType());
}

ElementType multipliedType(plan::GemmOp gemm, const ProductCut &cut) {
  Operation *hero = contractionOf(gemm.getBody().front());
  std::array<ElementType, 2> types;
  for (auto [type, made, operand] : llvm::zip(types, cut.operands, hero->getOperands())) {
    type = made.value ? elementTypeOf(made.value.getType()) : readType(gemm, operand);
  }
  return info(types[0]).bits < info(types[1]).bits ? types[1] : types[0];
}

std::vector<ProductCut> operandCuts(plan::GemmOp gemm) {
  auto dot = dyn_cast<stablehlo::DotGeneralOp>(contractionOf(gemm.getBody().front()));
  if (!dot) {
    return {};
  }
  // Operands with dynamic sizes can't be cut: the sizes are in the encoding of the type, in the
  // order of its dimensions.
  bool isSized = llvm::any_of(dot->getOperandTypes(), [](Type type) {
    return cast<RankedTensorType>(type).getEncoding() != nullptr;
  });
  if (isSized) {
    return {ProductCut()};
  }
  std::vector<ProductCut> cuts;
  std::vector<OperandCut> right = OperandCutter(dot, false).run();
  for (const OperandCut &ofLeft : OperandCutter(dot, true).run()) {
    for (const OperandCut &ofRight : right) {
      ProductCut cut;
      cut.operands = {ofLeft, ofRight};
      cut.bytes = bytesOf(ofLeft) + bytesOf(ofRight);
      cut.number = static_cast<int64_t>(cuts.size());
      cuts.push_back(std::move(cut));
    }
  }
  llvm::sort(cuts);
  return cuts;
}

std::optional<Behind> behind(plan::GemmOp gemm, const ProductCut &cut) {
  Block &block = gemm.getBody().front();
  Operation *hero = contractionOf(block);
  llvm::DenseSet<Value> ofProduct = {hero->getResult(0)}, after = {cut.end};
  Behind found;
  for (Operation &op : block.without_terminator()) {
    auto reads = [&](const llvm::DenseSet<Value> &values) {
      return llvm::any_of(op.getOperands(), [&](Value each) { return values.contains(each); });
    };
    if (reads(ofProduct)) {
      ofProduct.insert_range(op.getResults());
    }
    if (!reads(after)) {
      continue;
    }
    bool readsOther = llvm::any_of(op.getOperands(), [&](Value each) {
      return ofProduct.contains(each) && !after.contains(each);
    });
    if (readsOther) {
      return std::nullopt;
    }
    after.insert_range(op.getResults());
    found.operations.push_back(&op);
  }
  for (auto [i, output] : llvm::enumerate(block.getTerminator()->getOperands())) {
    auto number = static_cast<unsigned>(i);
    bool isEnd = output == cut.end && !cut.endsInSums;
    if (!ofProduct.contains(output) || (after.contains(output) && !isEnd)) {
      found.results.push_back(number);
    } else if (!isEnd) {
      found.kept.push_back(number);
    }
  }
  return found;
}

std::vector<ProductCut> endsOf(plan::GemmOp gemm, const ProductCut &cut) {
  Block &block = gemm.getBody().front();
  Value product = contractionOf(block)->getResult(0);
  std::vector<ProductCut> cuts = {cut};
  llvm::DenseSet<Value> ofProduct = {product};
  SmallVector<Value> ends = {product};
  for (Operation &op : block.without_terminator()) {
    bool isOfProduct =
        llvm::any_of(op.getOperands(), [&](Value each) { return ofProduct.contains(each); });
    if (isOfProduct) {
      ofProduct.insert_range(op.getResults());
      if (op.getNumResults() == 1 && elements(op.getResult(0)) == elements(product)) {
        ends.push_back(op.getResult(0));
      }
    }
  }
  auto add = [&](Value end, bool endsInSums) {
    ProductCut made = cut;
    made.end = end;
    made.endsInSums = endsInSums;
    std::optional<Behind> rest = behind(gemm, made);
    if (!rest || rest->results.empty()) {
      return;
    }
    made.operationsBehind = static_cast<int64_t>(rest->operations.size()) + (endsInSums ? 1 : 0);
    bool isResult = llvm::is_contained(block.getTerminator()->getOperands(), end);
    made.bytes += endsInSums ? 2 * elements(end) * 4 : bytes(end) * (isResult ? 1 : 2);
    cuts.push_back(std::move(made));
  };
  for (Value end : ends) {
    add(end, false);
  }
  if (isNarrow(elementTypeOf(product.getType()))) {
    add(product, true);
  }
  llvm::sort(cuts);
  return cuts;
}

} // namespace drumlin
