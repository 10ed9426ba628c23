#include "drumlin/transforms/libraries/ProductCuts.h"

#include "drumlin/ir/indexing/IndexingInterface.h"
#include "drumlin/ir/plan/OperationClasses.h"
#include "drumlin/ir/plan/Work.h"
#include "drumlin/ir/stablehlo/StablehloOps.h"
#include "drumlin/ir/stablehlo/StablehloTypes.h"
#include "drumlin/target/LibraryTable.h"
#include "drumlin/transforms/libraries/EpilogueReader.h"
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

// The operand of a step that elements come from: of a computation the only one that isn't a single
// number. Null where there is none.
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
    to = *llvm::find_if(op->getOperands(), [&](Value each) { return dependsOn(each, value); });
  }
  std::reverse(steps.begin(), steps.end());
  return steps;
}

// The dimension of `steps`' first operand that each of their result's is; nothing where something
// else than transposes moves elements.
static std::optional<SmallVector<int64_t>> dimensionsThrough(ArrayRef<Operation *> steps,
                                                             int64_t rank) {
  auto dimensions = llvm::to_vector(llvm::seq<int64_t>(rank));
  for (Operation *op : steps) {
    if (auto transpose = dyn_cast<stablehlo::TransposeOp>(op)) {
      dimensions = llvm::map_to_vector(transpose.getPermutation(), [&](int64_t from) {
        return dimensions[static_cast<size_t>(from)];
      });
    } else if (isStridedMovement(op)) {
      return std::nullopt;
    }
  }
  return dimensions;
}

namespace {
// The ways to cut one operand of a dot.
class OperandCutter {
public:
  OperandCutter(stablehlo::DotGeneralOp dot, bool isLeft)
      : operand(isLeft ? dot.getLhs() : dot.getRhs()) {
    auto numbers = dot.getDotDimensionNumbers();
    auto add = [&](ArrayRef<int64_t> dimensions) { llvm::append_range(wanted, dimensions); };
    add(isLeft ? numbers.getLhsBatchingDimensions() : numbers.getRhsBatchingDimensions());
    add(isLeft ? dot.getLhsFreeDimensions() : dot.getRhsFreeDimensions());
    add(isLeft ? numbers.getLhsContractingDimensions() : numbers.getRhsContractingDimensions());
  }

  std::vector<OperandCut> run() {
    cuts.emplace_back();
    // The narrowest value on the way, which is read once more as what it is: a quantized one, say.
    Value narrowest;
    for (Operation *op : sliceOf(operand)) {
      bool isCandidate = op->getNumResults() == 1 &&
                         elements(op->getResult(0)) == elements(operand) &&
                         !isOneNumber(op->getResult(0)) && bits(op->getResult(0)) > 1;
      if (isCandidate && (!narrowest || bits(op->getResult(0)) <= bits(narrowest))) {
        narrowest = op->getResult(0);
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
    // What only moves elements stays with the product.
    while (Operation *op = value.getDefiningOp()) {
      if (!isStridedMovement(op)) {
        break;
      }
      value = op->getOperand(0);
    }
    if (isOneNumber(value)) {
      value = operand; // which a library reads from memory all the same
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
    SmallVector<Operation *> steps = stepsBetween(made, operand);
    bool isReached = made == operand || !steps.empty();
    auto dimensions =
        isReached ? dimensionsThrough(steps, rank) : std::optional<SmallVector<int64_t>>();
    if (dimensions) {
      push({value, isAsInput ? argument : BlockArgument(),
            llvm::map_to_vector(wanted, [&](int64_t dimension) {
              return (*dimensions)[static_cast<size_t>(dimension)];
            })});
    } else {
      push({operand, BlockArgument(), wanted});
    }
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
  SmallVector<int64_t> wanted; // as a library reads it best: batch, free, contracted
  std::vector<OperandCut> cuts;
};
} // namespace

// What is made is written and read.
static int64_t bytesOf(const OperandCut &cut) {
  if (!cut.value) {
    return 0;
  }
  int64_t made = cut.input ? (elements(cut.input) * bits(cut.value) + 7) / 8 : bytes(cut.value);
  return 2 * made;
}

std::vector<ProductCut> operandCuts(plan::GemmOp gemm) {
  auto dot = dyn_cast<stablehlo::DotGeneralOp>(contractionOf(gemm.getBody().front()));
  if (!dot) {
    return {};
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
