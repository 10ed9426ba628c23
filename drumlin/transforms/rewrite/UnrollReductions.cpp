// Rewrites reductions of few elements along the innermost dimension as elementwise operations on
// slices: vector lanes then run along results. Also rewrites dots of few k elements that only
// reductions read, so that the reductions compute the dots' elements on demand.
#include "drumlin/ir/stablehlo/BroadcastInDimOp.h"
#include "drumlin/ir/stablehlo/ConstantOp.h"
#include "drumlin/ir/stablehlo/DotGeneralOp.h"
#include "drumlin/ir/stablehlo/ProductRoles.h"
#include "drumlin/ir/stablehlo/ReduceOp.h"
#include "drumlin/transforms/Reasons.h"
#include "drumlin/transforms/Rules.h"
#include "drumlin/transforms/rewrite/Passes.h"

#include "drumlin/ir/plan/OperationClasses.h"
#include "drumlin/ir/plan/Reducers.h"
#include "drumlin/ir/stablehlo/StablehloTypes.h"
#include "drumlin/transforms/simplify/decompose/Lifting.h"

using namespace mlir;

namespace drumlin {

#define GEN_PASS_DEF_UNROLLREDUCTIONSPASS
#include "drumlin/transforms/rewrite/Passes.h.inc"

// Half a register of lanes. Reductions of more elements fill their lanes well enough.
static constexpr int64_t maxElements = 8;
// Maximum operations of a kernel. A body of several operations, such as argmax, is repeated for
// each element.
static constexpr int64_t maxOperations = 96;
// Minimum results of an unrolled reduction: computing fewer takes less time than launching a
// kernel.
static constexpr int64_t fewestResults = 256;
// Maximum k elements of a dot whose result isn't stored. Such a dot is computed with separate
// multiplications and additions. With more k elements, these take longer than a GEMM kernel plus
// storing and reloading the result.
static constexpr int64_t maxTerms = 32;
// Maximum k elements of a dot that a GEMM kernel could reduce itself, or whose result must be
// stored anyway because it is read again after its reduction.
static constexpr int64_t maxKept = 4;
// Maximum operations of the kernel that computes such a dot (the limit is 256), and the operations
// per k element of the dot: two slices, two broadcasts, a multiplication and an addition.
static constexpr int64_t maxFused = 240, perTerm = 6;
// If each result has at most this many contiguous elements, lanes can load them directly. With
// more, the elements with equal k are made contiguous instead.
static constexpr int64_t maxInterleaved = 4;
// Minimum ratio of a dot's result elements to the elements that remain after the reductions.
static constexpr int64_t leastReduction = 8;

//===- reductions -------------------------------------------------------------------===//

// Returns the number of elements reduced to one result.
static int64_t reducedCount(stablehlo::ReduceOp op) {
  ArrayRef<int64_t> shape = shapeOf(op.getInputs().front());
  int64_t elements = 1;
  for (int64_t dimension : op.getDimensions()) {
    elements *= shape[static_cast<size_t>(dimension)];
  }
  return elements;
}

// Returns whether each result reduces few elements, and their number is statically known.
static bool isOfFew(stablehlo::ReduceOp op) {
  TensorShape shape = TensorShape::of(op.getInputs().front());
  bool isFew = llvm::all_of(op.getDimensions(), [&](int64_t dimension) {
    const Size &size = shape[static_cast<size_t>(dimension)];
    return !size.symbolic && size.nominal >= 1 && size.nominal <= maxElements;
  });
  return isFew && reducedCount(op) > 1 && reducedCount(op) <= maxElements;
}

// Returns whether the rule applies to the reduction: it reduces few elements along the innermost
// dimension, has many results, and its body is a function of scalars.
static bool isShort(stablehlo::ReduceOp op) {
  auto last = static_cast<int64_t>(shapeOf(op.getInputs().front()).size()) - 1;
  // Elements of fewer than 16 bits are gathered one by one if they are read from memory with a
  // stride.
  bool areBytes = llvm::any_of(op.getInputs(), [](Value input) {
    return !input.getDefiningOp() && info(elementTypeOf(getElementTypeOrSelf(input))).bits < 16;
  });
  return isOfFew(op) && !areBytes && llvm::is_contained(op.getDimensions(), last) &&
         elementsOf(op.getResult(0)) >= fewestResults &&
         isFunctionOfScalars(op.getBody().front()) && isElementwise(op.getBody().front());
}

// reduce(x, along few elements)  ==>  f(f(f(init, x[0]), x[1]), …)
static Decision decideReduction(stablehlo::ReduceOp op) {
  auto perElement = static_cast<int64_t>(op.getBody().front().getOperations().size()) - 1 +
                    2 * static_cast<int64_t>(op.getInputs().size());
  if (reducedCount(op) * perElement > maxOperations) {
    return Decision::declined(Reason::OverBudget, op, "reduce fewer elements");
  }
  return Decision::taken();
}

// Slices one element for each result, and drops the reduced dimensions.
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
  // Accumulates narrow floats in f32, as reductions do.
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
  for (int64_t i = 0, end = reducedCount(op); i < end; ++i) {
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

//===- values that are only reduced -------------------------------------------------===//

// Returns all direct and indirect users of the value if they are elementwise operations, or
// reductions that leave few of its elements; otherwise an empty list.
static SmallVector<Operation *> reductionsOnly(Operation *op) {
  int64_t elements = elementsOf(op->getResult(0));
  SmallVector<Operation *> worklist = {op}, users;
  llvm::SmallPtrSet<Operation *, 8> seen;
  while (!worklist.empty()) {
    for (Operation *user : worklist.pop_back_val()->getUsers()) {
      if (!seen.insert(user).second) {
        continue;
      }
      if (user->getBlock() != op->getBlock() || seen.size() > maxOperations) {
        return {};
      }
      users.push_back(user);
      if (auto reduce = dyn_cast<stablehlo::ReduceOp>(user)) {
        if (elementsOf(reduce.getResult(0)) > elements / leastReduction) {
          return {};
        }
        continue;
      }
      if (classify(user) != OperationClass::Pointwise ||
          elementsOf(user->getResult(0)) != elements) {
        return {};
      }
      worklist.push_back(user);
    }
  }
  return users;
}

// Returns whether an operation reads both the value and a reduction of the value, as in a softmax.
// If so, the value is stored before it is read again.
static bool isReadAgain(Operation *op, ArrayRef<Operation *> users) {
  llvm::SmallPtrSet<Operation *, 16> seen;
  SmallVector<Operation *> worklist;
  for (Operation *user : users) {
    if (!isa<stablehlo::ReduceOp>(user)) {
      worklist.push_back(user);
    }
  }
  while (!worklist.empty()) {
    for (Value operand : worklist.pop_back_val()->getOperands()) {
      Operation *defining = operand.getDefiningOp();
      bool isBehind =
          defining && defining->getBlock() == op->getBlock() && op->isBeforeInBlock(defining);
      if (!isBehind || !seen.insert(defining).second) {
        continue;
      }
      if (isa<stablehlo::ReduceOp>(defining) && llvm::is_contained(users, defining)) {
        return true;
      }
      worklist.push_back(defining);
    }
  }
  return false;
}

// Returns whether a value may be computed where reductions read it. The value is the sum of `terms`
// k elements, each of which takes `operations` operations.
static bool isFusedIntoReductions(Operation *op, int64_t terms, int64_t operations) {
  SmallVector<Operation *> users = reductionsOnly(op);
  bool fits =
      !users.empty() && operations * terms + 3 * static_cast<int64_t>(users.size()) <= maxFused;
  if (!fits || terms <= maxKept) {
    return fits;
  }
  SmallVector<stablehlo::ReduceOp> reductions;
  for (Operation *user : users) {
    if (auto reduce = dyn_cast<stablehlo::ReduceOp>(user)) {
      reductions.push_back(reduce);
    }
  }
  // Reductions along different dimensions are in different kernels, for which the value would have
  // to be stored.
  bool isForOneKernel = llvm::all_of(reductions, [&](stablehlo::ReduceOp reduce) {
    return reduce.getDimensions() == reductions.front().getDimensions();
  });
  // A GEMM kernel can perform the reduction itself, and stores nothing else, if the reduction's
  // result is a single number.
  bool isReducedThere =
      isa<stablehlo::DotGeneralOp>(op) && elementsOf(reductions.front().getResult(0)) == 1;
  return isForOneKernel && !isReducedThere && !isReadAgain(op, users);
}

// Moves the dimension to the front in memory, so that lanes read contiguous elements for each k.
// The barrier keeps the transpose out of the kernels that read its result.
static Value withFront(TensorBuilder &b, Value value, int64_t dimension) {
  SmallVector<int64_t> order = {dimension};
  for (int64_t d = 0; d < static_cast<int64_t>(shapeOf(value).size()); ++d) {
    if (d != dimension) {
      order.push_back(d);
    }
  }
  return b.barrier({b.transpose(value, order)}).front();
}

//===- reductions of broadcast operands ---------------------------------------------===//

// Returns the broadcasts of smaller values from which the input of a reduction along its innermost
// dimension is computed elementwise. Returns an empty list if the input depends on anything else.
static SmallVector<stablehlo::BroadcastInDimOp> broadcastsBehind(stablehlo::ReduceOp op) {
  int64_t results = elementsOf(op.getResult(0));
  SmallVector<Value> worklist = {op.getInputs().front()};
  llvm::SmallPtrSet<Operation *, 8> seen;
  SmallVector<stablehlo::BroadcastInDimOp> made;
  while (!worklist.empty()) {
    Operation *defining = worklist.pop_back_val().getDefiningOp();
    if (!defining) {
      return {};
    }
    if (isa<stablehlo::ConstantOp>(defining) || !seen.insert(defining).second) {
      continue;
    }
    if (auto broadcast = dyn_cast<stablehlo::BroadcastInDimOp>(defining)) {
      if (elementsOf(broadcast.getOperand()) > results / leastReduction) {
        return {};
      }
      made.push_back(broadcast);
      continue;
    }
    if (classify(defining) != OperationClass::Pointwise || seen.size() > maxElements) {
      return {};
    }
    llvm::append_range(worklist, defining->getOperands());
  }
  return made;
}

// Returns whether neither the reduction's result nor its input needs to be stored, as for distances
// of points.
static bool isOfBroadcasts(stablehlo::ReduceOp op) {
  auto last = static_cast<int64_t>(shapeOf(op.getInputs().front()).size()) - 1;
  if (op.getInputs().size() != 1 || op.getDimensions() != ArrayRef<int64_t>{last}) {
    return false;
  }
  Size terms = TensorShape::of(op.getInputs().front())[static_cast<size_t>(last)];
  return !terms.symbolic && terms.nominal > 1 && terms.nominal <= maxTerms &&
         elementsOf(op.getResult(0)) >= fewestResults &&
         isFunctionOfScalars(op.getBody().front()) && isElementwise(op.getBody().front()) &&
         !broadcastsBehind(op).empty() && isFusedIntoReductions(op, terms.nominal, 3);
}

// For operands that are broadcast along the dimension of the lanes, moves the reduced dimension to
// the front.
static void separateTerms(stablehlo::ReduceOp op) {
  auto last = static_cast<int64_t>(shapeOf(op.getInputs().front()).size()) - 1;
  for (stablehlo::BroadcastInDimOp broadcast : broadcastsBehind(op)) {
    ArrayRef<int64_t> places = broadcast.getBroadcastDimensions();
    if (places.size() < 2 || places.back() != last || !llvm::is_contained(places, last - 1) ||
        shapeOf(broadcast.getOperand()).back() <= maxInterleaved) {
      continue;
    }
    TensorBuilder b(broadcast);
    SmallVector<int64_t> moved = {last};
    llvm::append_range(moved, places.drop_back());
    auto front = static_cast<int64_t>(places.size()) - 1;
    broadcast.replaceAllUsesWith(b.broadcast(withFront(b, broadcast.getOperand(), front),
                                             TensorShape::of(broadcast.getResult()), moved));
    broadcast.erase();
  }
}

//===- dots -------------------------------------------------------------------------===//

static bool isShort(stablehlo::DotGeneralOp dot) {
  stablehlo::ProductRoles roles(dot);
  auto isF32 = [](Value value) { return getElementTypeOrSelf(value).isF32(); };
  if (dot.getAlgorithm() || !llvm::all_of(dot->getOperands(), isF32) || !isF32(dot.getResult()) ||
      roles.lhs().contracting.size() != 1) {
    return false;
  }
  TensorShape shape = TensorShape::of(dot.getLhs());
  const Size &terms = shape[static_cast<size_t>(roles.lhs().contracting[0])];
  int64_t operands = elementsOf(dot.getLhs()) + elementsOf(dot.getRhs());
  return !terms.symbolic && terms.nominal >= 1 && terms.nominal <= maxTerms &&
         elementsOf(dot.getResult()) >= std::max(fewestResults, leastReduction * operands) &&
         isFusedIntoReductions(dot, terms.nominal, perTerm);
}

// Returns, for each element of the dot's result, one factor of the product at one k index. The
// operand's batch and free dimensions are mapped in order, beginning at result dimension
// `firstFree`. The contracting dimension, which now has size 1, is mapped to one of the other
// operand's dimensions.
static Value factorAt(TensorBuilder &b, Value operand, ArrayRef<int64_t> batch, int64_t contracted,
                      int64_t term, size_t firstFree, size_t otherFree, const TensorShape &result) {
  SmallVector<int64_t> places;
  auto next = static_cast<int64_t>(firstFree);
  for (int64_t d = 0; d < static_cast<int64_t>(shapeOf(operand).size()); ++d) {
    const auto *found = llvm::find(batch, d);
    places.push_back(d == contracted        ? static_cast<int64_t>(otherFree)
                     : found != batch.end() ? found - batch.begin()
                                            : next++);
  }
  return b.broadcast(b.slice(operand, contracted, term, term + 1), result, places);
}

// dot(x, y) of few k elements, which only reductions read  ==>  x[0] y[0] + x[1] y[1] + …
static void apply(stablehlo::DotGeneralOp dot) {
  TensorBuilder b(dot);
  stablehlo::ProductRoles roles(dot);
  TensorShape result = TensorShape::of(dot.getResult());
  int64_t left = roles.lhs().contracting[0], right = roles.rhs().contracting[0];
  SmallVector<int64_t> rightBatch = roles.rhs().batch;
  size_t batch = rightBatch.size(), afterLhs = TensorShape::of(dot.getLhs()).size() - 1;
  int64_t terms = shapeOf(dot.getLhs())[static_cast<size_t>(left)];
  Value rhs = dot.getRhs();
  // Lanes run along the last dimension of the right operand.
  bool isSeparate =
      isa<BlockArgument>(rhs) && right != static_cast<int64_t>(shapeOf(rhs).size()) - 1;
  if (terms > maxInterleaved && !isSeparate) {
    rhs = withFront(b, rhs, right);
    for (int64_t &dimension : rightBatch) {
      dimension += dimension < right ? 1 : 0;
    }
    right = 0;
  }
  Value sum;
  for (int64_t term = 0; term < terms; ++term) {
    Value product = b.multiply(
        factorAt(b, dot.getLhs(), roles.lhs().batch, left, term, batch, afterLhs, result),
        factorAt(b, rhs, rightBatch, right, term, afterLhs, batch, result));
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
      if ((reduce && (isShort(reduce) || isOfBroadcasts(reduce))) || (dot && isShort(dot))) {
        found.push_back(op);
      }
    });
    for (Operation *op : found) {
      auto reduce = dyn_cast<stablehlo::ReduceOp>(op);
      Decision decision =
          reduce && !isOfBroadcasts(reduce) ? decideReduction(reduce) : Decision::taken();
      if (into.recordUnlessOff(Rule::UnrollReduction, op, decision).isTaken()) {
        if (reduce && isOfBroadcasts(reduce)) {
          separateTerms(reduce);
        }
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
