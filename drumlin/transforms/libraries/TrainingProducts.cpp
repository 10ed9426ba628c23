#include "drumlin/transforms/libraries/TrainingProducts.h"

#include "drumlin/ir/plan/GemmOp.h"
#include "drumlin/ir/plan/LoopOp.h"
#include "drumlin/ir/plan/OperationClasses.h"
#include "drumlin/ir/plan/Reducers.h"
#include "drumlin/ir/stablehlo/BroadcastInDimOp.h"
#include "drumlin/ir/stablehlo/CompareOp.h"
#include "drumlin/ir/stablehlo/ConvertOp.h"
#include "drumlin/ir/stablehlo/ReduceOp.h"
#include "drumlin/ir/stablehlo/StablehloTypes.h"
#include "drumlin/support/ScalarFunctions.h"
#include "drumlin/transforms/KernelFormation.h"
#include "drumlin/transforms/libraries/EpilogueValues.h"
#include "drumlin/transforms/requirements/ScalarFunction.h"
#include "mlir/Analysis/SliceAnalysis.h"
#include "mlir/IR/IRMapping.h"
#include "llvm/ADT/DenseSet.h"
#include "llvm/ADT/SetVector.h"

using namespace mlir;

namespace drumlin {

static int64_t bitsOf(Value value) { return info(elementTypeOf(value.getType())).bits; }
static ArrayRef<int64_t> sizesOf(Value value) {
  return cast<RankedTensorType>(value.getType()).getShape();
}

//===- stored inputs of activations -----------------------------------------------===//

// Returns whether a GEMM reads an operand only in its epilogue.
static bool isReadBehind(OpOperand &use, Block *block) {
  auto reader = dyn_cast<plan::GemmOp>(use.getOwner());
  if (!reader || reader->getBlock() != block) {
    return false;
  }
  Block &body = reader.getBody().front();
  Operation *hero = contractionOf(body);
  llvm::DenseSet<Value> reached = {body.getArgument(use.getOperandNumber())};
  for (Operation &op : body) {
    bool isReached =
        llvm::any_of(op.getOperands(), [&](Value each) { return reached.contains(each); });
    if (isReached && &op == hero) {
      return false;
    }
    if (isReached) {
      reached.insert_range(op.getResults());
    }
  }
  return true;
}

static bool isConstant(Operation *op) {
  return op &&
         (classify(op) == OperationClass::Constant ||
          (isa<stablehlo::BroadcastInDimOp>(op) && isConstant(op->getOperand(0).getDefiningOp())));
}

// Returns whether a value is computed elementwise from `from` and constants alone. `seen` contains
// the operations that are already known to be computed in this way.
static bool followsFrom(Value from, Value value, llvm::DenseSet<Operation *> &seen) {
  Operation *op = value.getDefiningOp();
  if (value == from || isConstant(op) || seen.contains(op)) {
    return true;
  }
  bool isElementwise = op && classify(op) == OperationClass::Pointwise && op->getNumResults() == 1;
  bool follows = isElementwise && llvm::all_of(op->getOperands(), [&](Value each) {
                   return followsFrom(from, each, seen);
                 });
  return follows && seen.insert(op).second;
}

// Returns the narrowest value from which all results are computed; if several values are equally
// narrow, the last of them.
static Value entering(Block &block, ArrayRef<Value> results) {
  Operation *hero = contractionOf(block);
  Value best;
  for (Operation &op : llvm::make_range(hero->getIterator(), std::prev(block.end()))) {
    if (op.getNumResults() != 1 || sizesOf(op.getResult(0)) != sizesOf(hero->getResult(0))) {
      continue;
    }
    Value value = op.getResult(0);
    llvm::DenseSet<Operation *> seen;
    bool isWay =
        isa<FloatType>(getElementTypeOrSelf(value)) &&
        llvm::all_of(results, [&](Value result) { return followsFrom(value, result, seen); });
    if (isWay && (!best || bitsOf(value) <= bitsOf(best))) {
      best = value;
    }
  }
  return best;
}

std::optional<HandOver> findHandOver(plan::GemmOp forward) {
  Block &body = forward.getBody().front();
  SmallVector<Value> results;
  for (Value yielded : body.getTerminator()->getOperands()) {
    if (sizesOf(yielded) == sizesOf(contractionOf(body)->getResult(0))) {
      results.push_back(yielded);
    }
  }
  HandOver found;
  found.forward = forward;
  found.entering = results.size() > 1 ? entering(body, results) : Value();
  if (!found.entering) {
    return std::nullopt;
  }
  int64_t size = bytesOf(found.entering);
  bool isYielded = false, hasOther = false, hasMask = false;
  llvm::DenseSet<Operation *> readers, readingEntering;
  for (auto [i, yielded] : llvm::enumerate(body.getTerminator()->getOperands())) {
    Value result = forward->getResult(i);
    if (yielded == found.entering) {
      isYielded = true;
      readingEntering.insert_range(result.getUsers());
      continue;
    }
    bool isMask = getElementTypeOrSelf(yielded).isInteger(1);
    bool isMade = llvm::is_contained(results, yielded) && !result.use_empty() &&
                  llvm::all_of(result.getUses(), [&](OpOperand &use) {
                    return isReadBehind(use, forward->getBlock());
                  });
    hasOther |= !isMade && llvm::is_contained(results, yielded);
    if (!isMade) {
      continue;
    }
    hasMask |= isMask;
    found.results.push_back(static_cast<unsigned>(i));
    readers.insert_range(result.getUsers());
    auto reads = static_cast<int64_t>(llvm::range_size(result.getUsers()));
    found.bytesSaved += bytesOf(yielded) * (1 + reads);
  }
  auto newReaders =
      llvm::count_if(readers, [&](Operation *each) { return !readingEntering.contains(each); });
  found.bytesSaved -= size * ((isYielded ? 0 : 1) + newReaders);
  // Without another result, the forward GEMM would store only the activation's input, and compute
  // no activation.
  bool isUseful = !found.results.empty() && (hasOther || (isYielded && hasMask)) &&
                  (found.bytesSaved > 0 || hasMask);
  return isUseful ? std::optional(std::move(found)) : std::nullopt;
}

// Returns the region's argument for a value of the program; adds it as an input if needed.
static BlockArgument inputFor(Operation *kernel, Value value) {
  Block &body = kernel->getRegion(0).front();
  for (OpOperand &operand : kernel->getOpOperands()) {
    if (operand.get() == value) {
      return body.getArgument(operand.getOperandNumber());
    }
  }
  kernel->insertOperands(kernel->getNumOperands(), value);
  return body.addArgument(value.getType(), value.getLoc());
}

// Rebuilds the GEMM without some of its results. Other values of its region become additional
// results after the kept ones, and users of these values read the new results. The old GEMM is left
// without a region.
static plan::GemmOp withResults(plan::GemmOp gemm, ArrayRef<unsigned> without,
                                ArrayRef<Value> others) {
  Operation *yield = gemm.getBody().front().getTerminator();
  SmallVector<Value> yielded, kept;
  for (auto [i, value] : llvm::enumerate(yield->getOperands())) {
    if (!llvm::is_contained(without, i)) {
      yielded.push_back(value);
      kept.push_back(gemm->getResult(i));
    }
  }
  for (Value value : others) {
    if (!llvm::is_contained(yielded, value)) {
      yielded.push_back(value);
    }
  }
  OpBuilder builder(gemm);
  auto made = plan::GemmOp::create(builder, gemm.getLoc(), ValueRange(yielded).getTypes(),
                                   gemm.getInputs());
  made->setDiscardableAttrs(gemm->getDiscardableAttrDictionary());
  yield->setOperands(yielded);
  made.getBody().takeBody(gemm.getBody());
  for (auto [old, now] : llvm::zip(kept, made->getResults())) {
    old.replaceAllUsesWith(now);
  }
  return made;
}

// Returns the result that yields a value of a GEMM's region.
static Value resultOf(plan::GemmOp gemm, Value value) {
  OperandRange yielded = gemm.getBody().front().getTerminator()->getOperands();
  return gemm->getResult(static_cast<unsigned>(llvm::find(yielded, value) - yielded.begin()));
}

plan::GemmOp applyHandOver(const HandOver &found) {
  plan::GemmOp forward = found.forward;
  SmallVector<std::pair<Value, Value>> handed; // pairs: value of the program, value of the region
  for (unsigned number : found.results) {
    handed.emplace_back(forward->getResult(number),
                        forward.getBody().front().getTerminator()->getOperand(number));
  }
  plan::GemmOp made = withResults(forward, found.results, found.entering);
  Value read = resultOf(made, found.entering);
  for (auto [result, value] : handed) {
    // Stores operand numbers, not uses, since adding operands moves uses.
    SmallVector<std::pair<Operation *, unsigned>> reads;
    for (OpOperand &use : result.getUses()) {
      reads.emplace_back(use.getOwner(), use.getOperandNumber());
    }
    for (auto [reader, number] : reads) {
      Block &body = reader->getRegion(0).front();
      IRMapping mapping;
      mapping.map(found.entering, inputFor(reader, read));
      OpBuilder inside = OpBuilder::atBlockBegin(&body);
      body.getArgument(number).replaceAllUsesWith(copyWithOperands(inside, value, mapping));
    }
    for (auto [reader, number] : llvm::reverse(reads)) {
      pruneKernel(reader);
    }
  }
  forward->erase();
  pruneKernel(made);
  return made;
}

//===- masks ----------------------------------------------------------------------===//

std::vector<ReluMask> findReluMasks(plan::GemmOp forward) {
  std::vector<ReluMask> found;
  Operation *yield = forward.getBody().front().getTerminator();
  for (OpOperand &mask : yield->getOpOperands()) {
    Value entering = positiveIn(mask.get());
    for (Value value : entering ? ValueRange(yield->getOperands()) : ValueRange()) {
      bool isRelu = value != entering && value.getType() == entering.getType() &&
                    recognizeFunction(entering, value) == "relu";
      if (isRelu) {
        Operation *compare = mask.get().getDefiningOp();
        Value zero = compare->getOperand(compare->getOperand(0) == entering ? 1 : 0);
        found.push_back({&mask, value, zero});
        break;
      }
    }
  }
  return found;
}

void applyReluMask(const ReluMask &found) {
  Operation *compare = found.mask->get().getDefiningOp();
  OpBuilder inside(found.mask->getOwner());
  using enum stablehlo::ComparisonDirection;
  found.mask->set(stablehlo::CompareOp::create(
      inside, compare->getLoc(), compare->getResult(0).getType(), found.relu, found.zero,
      stablehlo::ComparisonDirectionAttr::get(inside.getContext(), GT),
      stablehlo::ComparisonTypeAttr()));
  if (compare->use_empty()) {
    compare->erase();
  }
}

//===- misplaced gradients --------------------------------------------------------===//

static bool waitsFor(ArrayRef<Value> values, Operation *op) {
  llvm::SetVector<Operation *> before;
  BackwardSliceOptions options;
  options.inclusive = true;
  options.filter = [&](Operation *each) { return each->getBlock() == op->getBlock(); };
  for (Value value : values) {
    (void)getBackwardSlice(value, &before, options);
  }
  return before.contains(op);
}

// Fills in the forward GEMM's results that depend on the factor, and the other values from which
// they are computed. Returns false if an operation in between isn't elementwise, or if one of the
// other values neither is constant nor depends on the forward GEMM's dot.
static bool readSteps(MisplacedGradient &found) {
  Block &body = found.forward.getBody().front();
  Operation *hero = contractionOf(body);
  llvm::DenseSet<Value> ofFactor = {found.factor}, ofProduct = {hero->getResult(0)};
  for (Operation &op : body.without_terminator()) {
    auto reads = [&](const llvm::DenseSet<Value> &values) {
      return llvm::any_of(op.getOperands(), [&](Value each) { return values.contains(each); });
    };
    if (reads(ofProduct)) {
      ofProduct.insert_range(op.getResults());
    }
    if (!reads(ofFactor)) {
      continue;
    }
    bool isElementwise = classify(&op) == OperationClass::Pointwise && op.getNumResults() == 1 &&
                         sizesOf(op.getResult(0)) == sizesOf(found.factor);
    if (!isElementwise) {
      return false;
    }
    for (Value operand : op.getOperands()) {
      if (ofFactor.contains(operand) || isConstant(operand.getDefiningOp())) {
        continue;
      }
      if (!ofProduct.contains(operand)) {
        return false;
      }
      if (!llvm::is_contained(found.handed, operand)) {
        found.handed.push_back(operand);
      }
    }
    ofFactor.insert(op.getResult(0));
  }
  size_t others = 0;
  for (auto [i, yielded] : llvm::enumerate(body.getTerminator()->getOperands())) {
    if (ofFactor.contains(yielded)) {
      found.results.push_back(static_cast<unsigned>(i));
    } else {
      others += sizesOf(yielded) == sizesOf(found.factor) ? 1 : 0;
    }
  }
  return others > 0 && !found.results.empty() && !found.handed.empty();
}

// Returns whether all results that are computed from the factor are the product of the factor and
// the derivative of a known function.
static bool isGradient(const MisplacedGradient &found) {
  plan::GemmOp forward = found.forward;
  Block &body = forward.getBody().front();
  Value from = entering(body, found.handed);
  return from && llvm::all_of(found.results, [&](unsigned number) {
           Value made = body.getTerminator()->getOperand(number);
           return !nameOfGradient(functionBetween(from, found.factor, made)).empty();
         });
}

std::optional<MisplacedGradient> findMisplacedGradient(plan::GemmOp forward) {
  Block &body = forward.getBody().front();
  for (OpOperand &use : forward->getOpOperands()) {
    auto backward = use.get().getDefiningOp<plan::GemmOp>();
    bool isFactor = backward && backward->getBlock() == forward->getBlock() &&
                    use.get().hasOneUse() && isReadBehind(use, forward->getBlock()) &&
                    sizesOf(use.get()) == sizesOf(contractionOf(body)->getResult(0));
    if (!isFactor) {
      continue;
    }
    MisplacedGradient found{forward, backward, body.getArgument(use.getOperandNumber()), {}, {}};
    SmallVector<Value> others(forward->getOperands());
    llvm::erase(others, use.get());
    if (readSteps(found) && isGradient(found) && !waitsFor(others, backward)) {
      return found;
    }
  }
  return std::nullopt;
}

std::pair<plan::GemmOp, plan::GemmOp> applyMisplacedGradient(const MisplacedGradient &found) {
  plan::GemmOp forward = found.forward, backward = found.backward;
  auto factor = cast<OpResult>(forward->getOperand(found.factor.getArgNumber()));
  SmallVector<std::pair<Value, Value>> moved; // pairs: value of the program, value of the region
  for (unsigned number : found.results) {
    moved.emplace_back(forward->getResult(number),
                       forward.getBody().front().getTerminator()->getOperand(number));
  }
  plan::GemmOp first = withResults(forward, found.results, found.handed);
  // Computes the gradient in the epilogue of the backward GEMM, from the values that the forward
  // GEMM stores for it.
  Operation *yield = backward.getBody().front().getTerminator();
  IRMapping mapping;
  mapping.map(found.factor, yield->getOperand(factor.getResultNumber()));
  for (Value value : found.handed) {
    mapping.map(value, inputFor(backward, resultOf(first, value)));
  }
  OpBuilder inside(yield);
  SmallVector<Value> made;
  for (auto [result, value] : moved) {
    made.push_back(copyWithOperands(inside, value, mapping));
  }
  plan::GemmOp second = withResults(backward, factor.getResultNumber(), made);
  for (auto [old, value] : llvm::zip(moved, made)) {
    old.first.replaceAllUsesWith(resultOf(second, value));
  }
  pruneKernel(first); // the forward GEMM no longer reads the factor
  forward->erase();
  backward->erase();
  pruneKernel(second);
  restoreOrder(*first->getBlock());
  return {first, second};
}

//===- sums -----------------------------------------------------------------------===//

// Returns the sum that a kernel computes of one input, if the kernel reads the input for nothing
// else.
static std::optional<SumBeside> sumOf(plan::LoopOp kernel, OpOperand &input) {
  Value value = kernel.getBody().front().getArgument(input.getOperandNumber());
  while (value.hasOneUse() && isWideFloat(elementTypeOf(value.getType()))) {
    Operation *user = *value.getUsers().begin();
    if (isa<stablehlo::ConvertOp>(user)) {
      value = user->getResult(0);
      continue;
    }
    auto reduce = dyn_cast<stablehlo::ReduceOp>(user);
    bool isSum = reduce && reduce.getInputs().size() == 1 && reduce.getInputs().front() == value &&
                 knownReducer(reduce.getBody()) == Reducer::Add &&
                 !sizesOf(reduce.getResult(0)).empty();
    if (!isSum) {
      return std::nullopt;
    }
    SumBeside found{kernel, reduce, input.get(), reduce.getResult(0)};
    auto convert = found.sum.hasOneUse()
                       ? dyn_cast<stablehlo::ConvertOp>(*found.sum.getUsers().begin())
                       : stablehlo::ConvertOp();
    if (convert && isWideFloat(elementTypeOf(convert.getType()))) {
      found.sum = convert.getResult();
    }
    return found;
  }
  return std::nullopt;
}

std::vector<SumBeside> sumsBeside(plan::GemmOp product) {
  llvm::SetVector<Operation *> before;
  BackwardSliceOptions options;
  options.filter = [&](Operation *op) { return op->getBlock() == product->getBlock(); };
  (void)getBackwardSlice(product.getOperation(), &before, options);
  std::vector<SumBeside> found;
  auto add = [&](Value value) {
    for (OpOperand &use : value.getUses()) {
      auto kernel = dyn_cast<plan::LoopOp>(use.getOwner());
      bool isFree = kernel && kernel->getBlock() == product->getBlock() && !before.contains(kernel);
      std::optional<SumBeside> sum = isFree ? sumOf(kernel, use) : std::nullopt;
      if (sum) {
        found.push_back(std::move(*sum));
      }
    }
  };
  for (Value result : product->getResults()) {
    add(result);
  }
  llvm::SetVector<Value> inputs(product->operand_begin(), product->operand_end());
  for (Value input : inputs) {
    add(input);
  }
  return found;
}

plan::GemmOp withSum(plan::GemmOp product, const SumBeside &beside) {
  OpBuilder builder(product);
  auto copy = cast<plan::GemmOp>(builder.clone(*product));
  Block &body = copy.getBody().front();
  Operation *yield = body.getTerminator();
  Value summed;
  for (auto [value, result] : llvm::zip(yield->getOperands(), product->getResults())) {
    summed = result == beside.summed ? value : summed;
  }
  for (auto [argument, input] : llvm::zip(body.getArguments(), product.getInputs())) {
    summed = !summed && input == beside.summed ? Value(argument) : summed;
  }
  Operation *kernel = beside.kernel;
  IRMapping mapping;
  for (auto [argument, input] :
       llvm::zip(kernel->getRegion(0).front().getArguments(), kernel->getOperands())) {
    if (input == beside.summed) {
      mapping.map(argument, summed);
    }
  }
  OpBuilder inside(yield);
  plan::GemmOp made = withResults(copy, {}, copyWithOperands(inside, beside.sum, mapping));
  copy->erase();
  return made;
}

void readSum(const SumBeside &beside, plan::GemmOp product) {
  Operation *kernel = beside.kernel;
  Value sum = beside.sum;
  sum.replaceAllUsesWith(inputFor(kernel, product->getResults().back()));
  pruneKernel(kernel);
  Operation *yield = kernel->getRegion(0).front().getTerminator();
  if (llvm::all_of(yield->getOperands(), llvm::IsaPred<BlockArgument>)) {
    for (auto [value, result] : llvm::zip(yield->getOperands(), kernel->getResults())) {
      result.replaceAllUsesWith(kernel->getOperand(cast<BlockArgument>(value).getArgNumber()));
    }
    kernel->erase();
  }
  restoreOrder(product);
}

} // namespace drumlin
