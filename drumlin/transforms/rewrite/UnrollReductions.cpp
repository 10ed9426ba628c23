// Reductions of few elements along the innermost dimension, and products of few terms that only
// reductions read, become elementwise operations on slices: lanes then run along results, and what
// reduces those in turn computes them where it needs them.
#include "drumlin/transforms/rewrite/Passes.h"

#include "drumlin/ir/plan/OperationClasses.h"
#include "drumlin/ir/plan/Reducers.h"
#include "drumlin/ir/stablehlo/StablehloTypes.h"
#include "drumlin/transforms/simplify/decompose/Lifting.h"

using namespace mlir;

namespace drumlin {

#define GEN_PASS_DEF_UNROLLREDUCTIONSPASS
#include "drumlin/transforms/rewrite/Passes.h.inc"

// Half a register of lanes: a reduction of more elements fills its lanes well enough.
static constexpr int64_t maxElements = 8;
// Of what a kernel takes; a body of several operations, as argmax has, is repeated for each
// element.
static constexpr int64_t maxOperations = 96;
// Fewer results than this are computed in less time than it takes to launch a kernel.
static constexpr int64_t fewestResults = 256;
// Of a product that isn't kept: it is computed with multiplications and additions of its own.
static constexpr int64_t maxTerms = 4;
// Elements of a product for each of those that reductions make of it, at least.
static constexpr int64_t leastReduction = 8;

//===- reductions -------------------------------------------------------------------===//

// The elements that a result is made of; nothing where the run tells how many these are.
static std::optional<int64_t> reducedElements(stablehlo::ReduceOp op) {
  TensorShape shape = TensorShape::of(op.getInputs().front());
  int64_t elements = 1;
  for (int64_t dimension : op.getDimensions()) {
    const TensorSize &size = shape[static_cast<size_t>(dimension)];
    if (size.symbolic || size.nominal > maxElements || size.nominal < 1) {
      return std::nullopt;
    }
    elements *= size.nominal;
  }
  return elements;
}

// Whether the rule is about the reduction: along memory, of few elements, with many results, by a
// function of scalars.
static bool isShort(stablehlo::ReduceOp op) {
  auto last = static_cast<int64_t>(shapeOf(op.getInputs().front()).size()) - 1;
  std::optional<int64_t> elements = reducedElements(op);
  // Bytes that lie a few apart are gathered one by one.
  bool areBytes = llvm::any_of(op.getInputs(), [](Value input) {
    return !input.getDefiningOp() && info(elementTypeOf(getElementTypeOrSelf(input))).bits < 16;
  });
  return elements && !areBytes && *elements > 1 && *elements <= maxElements &&
         llvm::is_contained(op.getDimensions(), last) &&
         elementsOf(op.getResult(0)) >= fewestResults &&
         isFunctionOfScalars(op.getBody().front()) && isElementwise(op.getBody().front());
}

// reduce(x, along few elements)  ==>  f(f(f(init, x[0]), x[1]), …)
static Decision decideReduction(stablehlo::ReduceOp op) {
  auto perElement = static_cast<int64_t>(op.getBody().front().getOperations().size()) - 1 +
                    2 * static_cast<int64_t>(op.getInputs().size());
  if (*reducedElements(op) * perElement > maxOperations) {
    return Decision::declined(Reason::OverBudget, op, "reduce fewer elements");
  }
  return Decision::taken();
}

// One element of each result's, without the reduced dimensions.
static Value elementAt(TensorBuilder &b, Value x, ArrayRef<int64_t> dimensions, int64_t number,
                       const TensorShape &shape) {
  for (int64_t dimension : llvm::reverse(dimensions)) {
    int64_t size = shapeOf(x)[static_cast<size_t>(dimension)], at = number % size;
    number /= size;
    x = b.slice(x, dimension, at, at + 1);
  }
  return b.reshape(x, shape);
}

static void apply(stablehlo::ReduceOp op) {
  TensorBuilder b(op);
  TensorShape shape = TensorShape::of(op.getResult(0));
  SmallVector<int64_t> dimensions(op.getDimensions());
  llvm::sort(dimensions);
  // As reductions keep sums and products of narrow floating-point numbers.
  std::optional<Reducer> reducer = knownReducer(op.getBody());
  Type element = getElementTypeOrSelf(op.getResult(0));
  bool isWide = (reducer == Reducer::Add || reducer == Reducer::Multiply) &&
                isa<FloatType>(element) && element.getIntOrFloatBitWidth() < 32;
  Type made = isWide ? Float32Type::get(op.getContext()) : element;
  auto widened = [&](Value x) { return isWide ? b.convert(x, made) : x; };
  SmallVector<Value> carried;
  for (Value init : op.getInitValues()) {
    carried.push_back(widened(b.broadcast(init, shape)));
  }
  for (int64_t i = 0, end = *reducedElements(op); i < end; ++i) {
    SmallVector<Value> arguments(carried);
    for (Value input : op.getInputs()) {
      arguments.push_back(widened(elementAt(b, input, dimensions, i, shape)));
    }
    if (isWide) {
      carried = {*reducer == Reducer::Add ? b.add(arguments[0], arguments[1])
                                          : b.multiply(arguments[0], arguments[1])};
    } else {
      carried = lift(b, op.getBody().front(), arguments, shape);
    }
  }
  if (isWide) {
    carried = {b.convert(carried.front(), element)};
  }
  op->replaceAllUsesWith(carried);
  op->erase();
}

//===- products ---------------------------------------------------------------------===//

// Whether reductions alone read what elementwise operations make of the value, and leave little of
// it.
static bool isOnlyReduced(Operation *op) {
  int64_t elements = elementsOf(op->getResult(0));
  SmallVector<Operation *> worklist = {op};
  llvm::SmallPtrSet<Operation *, 8> seen;
  while (!worklist.empty()) {
    for (Operation *user : worklist.pop_back_val()->getUsers()) {
      if (!seen.insert(user).second) {
        continue;
      }
      if (user->getBlock() != op->getBlock() || seen.size() > maxOperations) {
        return false;
      }
      if (auto reduce = dyn_cast<stablehlo::ReduceOp>(user)) {
        if (elementsOf(reduce.getResult(0)) > elements / leastReduction) {
          return false;
        }
        continue;
      }
      if (classify(user) != OperationClass::Pointwise ||
          elementsOf(user->getResult(0)) != elements) {
        return false;
      }
      worklist.push_back(user);
    }
  }
  return !seen.empty();
}

static bool isShort(stablehlo::DotGeneralOp dot) {
  auto numbers = dot.getDotDimensionNumbers();
  auto isF32 = [](Value value) { return getElementTypeOrSelf(value).isF32(); };
  if (dot.getAlgorithm() || !llvm::all_of(dot->getOperands(), isF32) || !isF32(dot.getResult()) ||
      numbers.getLhsContractingDimensions().size() != 1) {
    return false;
  }
  TensorShape shape = TensorShape::of(dot.getLhs());
  const TensorSize &terms = shape[static_cast<size_t>(numbers.getLhsContractingDimensions()[0])];
  int64_t operands = elementsOf(dot.getLhs()) + elementsOf(dot.getRhs());
  return !terms.symbolic && terms.nominal >= 1 && terms.nominal <= maxTerms &&
         elementsOf(dot.getResult()) >= std::max(fewestResults, leastReduction * operands) &&
         isOnlyReduced(dot);
}

// One term's factor, for each element of the result: of the operand's dimensions in the order
// batch, free, as they lie in the result from `firstFree` on.
static Value factorAt(TensorBuilder &b, Value operand, ArrayRef<int64_t> batch, int64_t contracted,
                      int64_t term, size_t firstFree, const TensorShape &result) {
  TensorShape shape = TensorShape::of(operand);
  shape.erase(static_cast<size_t>(contracted));
  SmallVector<int64_t> places;
  auto next = static_cast<int64_t>(firstFree);
  for (int64_t d = 0; d < static_cast<int64_t>(shape.size()) + 1; ++d) {
    if (d == contracted) {
      continue;
    }
    const auto *found = llvm::find(batch, d);
    places.push_back(found != batch.end() ? found - batch.begin() : next++);
  }
  Value factor = b.reshape(b.slice(operand, contracted, term, term + 1), shape);
  return b.broadcast(factor, result, places);
}

// dot(x, y) of few terms, which only reductions read  ==>  x[0] y[0] + x[1] y[1] + …
static void apply(stablehlo::DotGeneralOp dot) {
  TensorBuilder b(dot);
  auto numbers = dot.getDotDimensionNumbers();
  TensorShape result = TensorShape::of(dot.getResult());
  int64_t left = numbers.getLhsContractingDimensions()[0],
          right = numbers.getRhsContractingDimensions()[0];
  size_t batch = numbers.getLhsBatchingDimensions().size();
  size_t afterLhs = TensorShape::of(dot.getLhs()).size() - 1;
  Value sum;
  for (int64_t term = 0; term < shapeOf(dot.getLhs())[static_cast<size_t>(left)]; ++term) {
    Value product = b.multiply(
        factorAt(b, dot.getLhs(), numbers.getLhsBatchingDimensions(), left, term, batch, result),
        factorAt(b, dot.getRhs(), numbers.getRhsBatchingDimensions(), right, term, afterLhs,
                 result));
    sum = sum ? b.add(sum, product) : product;
  }
  dot.replaceAllUsesWith(sum);
  dot.erase();
}

struct UnrollReductionsPass : impl::UnrollReductionsPassBase<UnrollReductionsPass> {
  UnrollReductionsPass() = default;
  explicit UnrollReductionsPass(Ledger &ledger) : ledger(&ledger) {}

  void runOnOperation() override {
    Ledger own;
    Ledger &into = ledger ? *ledger : own;
    SmallVector<Operation *> found;
    getOperation().walk([&](Operation *op) {
      auto reduce = dyn_cast<stablehlo::ReduceOp>(op);
      auto dot = dyn_cast<stablehlo::DotGeneralOp>(op);
      if ((reduce && isShort(reduce)) || (dot && isShort(dot))) {
        found.push_back(op);
      }
    });
    for (Operation *op : found) {
      auto reduce = dyn_cast<stablehlo::ReduceOp>(op);
      Decision decision = reduce ? decideReduction(reduce) : Decision::taken();
      if (into.recordUnlessOff(Rule::UnrollReduction, op, decision).isTaken()) {
        reduce ? apply(reduce) : apply(cast<stablehlo::DotGeneralOp>(op));
      }
    }
  }

  Ledger *ledger = nullptr;
};

std::unique_ptr<Pass> createUnrollReductionsPass(Ledger &ledger) {
  return std::make_unique<UnrollReductionsPass>(ledger);
}

} // namespace drumlin
