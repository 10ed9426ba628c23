#include "drumlin/transforms/libraries/TrainingProducts.h"

#include "drumlin/ir/plan/OperationClasses.h"
#include "drumlin/ir/plan/Reducers.h"
#include "drumlin/ir/plan/Work.h"
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

//===- hand-overs -----------------------------------------------------------------===//

// Whether a product reads an operand behind itself alone.
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

namespace {
// The operations by which values follow from one of the same shape and from constants alone.
class StepsFrom {
public:
  explicit StepsFrom(Value from) : from(from) {}

  // Adds those of a value; false where it needs more.
  bool add(Value value) {
    if (value == from) {
      return true;
    }
    Operation *op = value.getDefiningOp();
    if (!op || steps.contains(op)) {
      return op != nullptr;
    }
    bool isElementwise = classify(op) == OperationClass::Pointwise && op->getNumResults() == 1;
    bool isNumber = classify(op) == OperationClass::Constant ||
                    (isa<stablehlo::BroadcastInDimOp>(op) && op->getOperand(0) != from);
    bool isMade = (isElementwise || isNumber) &&
                  llvm::all_of(op->getOperands(), [&](Value each) { return add(each); });
    return isMade && steps.insert(op);
  }

  llvm::SetVector<Operation *> steps; // each behind its operands

private:
  Value from;
};
} // namespace

// The narrowest value, of equal ones the last, that all of the results follow from.
static Value entering(Block &block, ArrayRef<Value> results) {
  Operation *hero = contractionOf(block);
  Value best;
  for (Operation &op : llvm::make_range(hero->getIterator(), std::prev(block.end()))) {
    if (op.getNumResults() != 1 || sizesOf(op.getResult(0)) != sizesOf(hero->getResult(0))) {
      continue;
    }
    Value value = op.getResult(0);
    StepsFrom steps(value);
    bool isWay = isa<FloatType>(getElementTypeOrSelf(value)) &&
                 llvm::all_of(results, [&](Value result) { return steps.add(result); });
    if (isWay && (!best || bitsOf(value) <= bitsOf(best))) {
      best = value;
    }
  }
  return best;
}

std::optional<HandOver> findHandOver(plan::GemmOp forward, bool readsBits) {
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
                  !(isMask && readsBits) && llvm::all_of(result.getUses(), [&](OpOperand &use) {
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
  // Without another result the kernel would hand over nothing of its own.
  bool isUseful = !found.results.empty() && hasOther && (found.bytesSaved > 0 || hasMask);
  return isUseful ? std::optional(std::move(found)) : std::nullopt;
}

// The input of a kernel's region that is a value of the program, which the kernel may not read yet.
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

// A product with other results, in the place of one; what it yields are values of its region.
static plan::GemmOp remade(plan::GemmOp gemm, ArrayRef<Value> yielded) {
  OpBuilder builder(gemm);
  auto made = plan::GemmOp::create(builder, gemm.getLoc(), ValueRange(yielded).getTypes(),
                                   gemm.getInputs());
  made->setDiscardableAttrs(gemm->getDiscardableAttrDictionary());
  Operation *yield = gemm.getBody().front().getTerminator();
  yield->setOperands(yielded);
  made.getBody().takeBody(gemm.getBody());
  return made;
}

plan::GemmOp applyHandOver(const HandOver &found) {
  plan::GemmOp forward = found.forward;
  Operation *yield = forward.getBody().front().getTerminator();
  // Each result's steps, before the results are numbered anew.
  SmallVector<Value> yielded;
  SmallVector<unsigned> kept;
  for (auto [i, value] : llvm::enumerate(yield->getOperands())) {
    if (!llvm::is_contained(found.results, i)) {
      yielded.push_back(value);
      kept.push_back(static_cast<unsigned>(i));
    }
  }
  SmallVector<std::pair<Value, Value>> handed; // of the program, of the region
  for (unsigned number : found.results) {
    handed.emplace_back(forward->getResult(number), yield->getOperand(number));
  }
  if (!llvm::is_contained(yielded, found.entering)) {
    yielded.push_back(found.entering);
  }
  plan::GemmOp made = remade(forward, yielded);
  for (auto [number, result] : llvm::zip(kept, made->getResults())) {
    forward->getResult(number).replaceAllUsesWith(result);
  }
  auto *at = llvm::find(yielded, found.entering);
  Value read = made->getResult(static_cast<unsigned>(at - yielded.begin()));
  for (auto [result, value] : handed) {
    StepsFrom steps(found.entering);
    steps.add(value);
    // Numbers, not uses, which new operands move.
    SmallVector<std::pair<Operation *, unsigned>> reads;
    for (OpOperand &use : result.getUses()) {
      reads.emplace_back(use.getOwner(), use.getOperandNumber());
    }
    for (auto [reader, number] : reads) {
      Block &body = reader->getRegion(0).front();
      IRMapping mapping;
      mapping.map(found.entering, inputFor(reader, read));
      OpBuilder inside = OpBuilder::atBlockBegin(&body);
      for (Operation *step : steps.steps) {
        inside.clone(*step, mapping);
      }
      body.getArgument(number).replaceAllUsesWith(mapping.lookup(value));
    }
    for (auto [reader, number] : llvm::reverse(reads)) {
      pruneKernel(reader);
    }
  }
  forward->erase();
  pruneKernel(made);
  return made;
}

//===- misplaced gradients --------------------------------------------------------===//

static bool isConstant(Operation *op) {
  return op &&
         (classify(op) == OperationClass::Constant ||
          (isa<stablehlo::BroadcastInDimOp>(op) && isConstant(op->getOperand(0).getDefiningOp())));
}

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

// Fills in what depends on the factor; false where that isn't elementwise, or needs more than the
// product's values.
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
    found.steps.push_back(&op);
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

// Whether all that is made of the factor is its product with the derivative of a known function.
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
    MisplacedGradient found{forward, backward, body.getArgument(use.getOperandNumber()),
                            {},      {},       {}};
    SmallVector<Value> others(forward->getOperands());
    llvm::erase(others, use.get());
    if (readSteps(found) && isGradient(found) && !waitsFor(others, backward)) {
      return found;
    }
  }
  return std::nullopt;
}

// A copy of a constant in another region.
static Value copiedConstant(OpBuilder &builder, Value value, IRMapping &mapping) {
  if (Value known = mapping.lookupOrNull(value)) {
    return known;
  }
  Operation *op = value.getDefiningOp();
  for (Value operand : op->getOperands()) {
    copiedConstant(builder, operand, mapping);
  }
  builder.clone(*op, mapping);
  return mapping.lookup(value);
}

std::pair<plan::GemmOp, plan::GemmOp> applyMisplacedGradient(const MisplacedGradient &found) {
  plan::GemmOp forward = found.forward, backward = found.backward;
  Operation *yield = forward.getBody().front().getTerminator();
  Value factor = forward->getOperand(found.factor.getArgNumber());
  SmallVector<Value> kept, moved;
  SmallVector<unsigned> keptNumbers;
  for (auto [i, value] : llvm::enumerate(yield->getOperands())) {
    bool isMoved = llvm::is_contained(found.results, i);
    (isMoved ? moved : kept).push_back(value);
    if (!isMoved) {
      keptNumbers.push_back(static_cast<unsigned>(i));
    }
  }
  for (Value value : found.handed) {
    if (!llvm::is_contained(kept, value)) {
      kept.push_back(value);
    }
  }
  plan::GemmOp first = remade(forward, kept);
  // Behind the other product, from what is handed over.
  Operation *inner = backward.getBody().front().getTerminator();
  unsigned number = cast<OpResult>(factor).getResultNumber();
  IRMapping mapping;
  mapping.map(found.factor, inner->getOperand(number));
  for (Value value : found.handed) {
    auto *at = llvm::find(kept, value);
    mapping.map(value,
                inputFor(backward, first->getResult(static_cast<unsigned>(at - kept.begin()))));
  }
  OpBuilder inside(inner);
  for (Operation *step : found.steps) {
    for (Value operand : step->getOperands()) {
      copiedConstant(inside, operand, mapping);
    }
    inside.clone(*step, mapping);
  }
  SmallVector<Value> yielded;
  SmallVector<Value> stays;
  for (auto [i, value] : llvm::enumerate(inner->getOperands())) {
    if (i != number) {
      yielded.push_back(value);
      stays.push_back(backward->getResult(i));
    }
  }
  for (Value value : moved) {
    yielded.push_back(mapping.lookup(value));
  }
  plan::GemmOp second = remade(backward, yielded);
  for (auto [old, now] : llvm::zip(stays, second->getResults())) {
    old.replaceAllUsesWith(now);
  }
  for (auto [old, now] : llvm::zip(found.results, second->getResults().drop_front(stays.size()))) {
    forward->getResult(old).replaceAllUsesWith(now);
  }
  for (auto [old, now] : llvm::zip(keptNumbers, first->getResults())) {
    forward->getResult(old).replaceAllUsesWith(now);
  }
  pruneKernel(first); // which reads the factor no longer
  forward->erase();
  backward->erase();
  pruneKernel(second);
  restoreOrder(*first->getBlock());
  return {first, second};
}

bool isReadAsMask(Value result) {
  auto isMask = [&](OpOperand &use) {
    auto reader = dyn_cast<plan::GemmOp>(use.getOwner());
    if (!reader) {
      return false;
    }
    Value mask = reader.getBody().front().getArgument(use.getOperandNumber());
    return llvm::all_of(mask.getUsers(), [&](Operation *user) {
      auto select = dyn_cast<stablehlo::SelectOp>(user);
      return select && select.getPred() == mask && isZero(select.getOnFalse());
    });
  };
  return !result.use_empty() && llvm::all_of(result.getUses(), isMask);
}

//===- sums -----------------------------------------------------------------------===//

// The sum that a kernel makes of one input, which it reads for nothing else.
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
  llvm::SetVector<Operation *> steps;
  BackwardSliceOptions options;
  options.inclusive = true;
  options.omitBlockArguments = true;
  options.filter = [&](Operation *op) { return op->getBlock() == beside.reduce->getBlock(); };
  (void)getBackwardSlice(beside.sum, &steps, options);
  OpBuilder inside(yield);
  for (Operation *step : steps) {
    inside.clone(*step, mapping);
  }
  SmallVector<Value> yielded(yield->getOperands());
  yielded.push_back(mapping.lookup(beside.sum));
  plan::GemmOp made = remade(copy, yielded);
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
