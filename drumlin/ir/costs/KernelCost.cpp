#include "drumlin/ir/costs/ProgramCost.h"
#include "drumlin/ir/plan/KernelOp.h"
#include "drumlin/ir/plan/YieldOp.h"
#include "drumlin/ir/stablehlo/ConvolutionOp.h"
#include "drumlin/ir/stablehlo/DotGeneralOp.h"
#include "drumlin/ir/stablehlo/DynamicSliceOp.h"
#include "drumlin/ir/stablehlo/DynamicUpdateSliceOp.h"
#include "drumlin/ir/stablehlo/GatherOp.h"
#include "drumlin/ir/stablehlo/ReduceOp.h"
#include "drumlin/ir/stablehlo/ReduceWindowOp.h"
#include "drumlin/ir/stablehlo/ScatterOp.h"
#include "drumlin/ir/stablehlo/SliceOp.h"

#include "drumlin/ir/costs/Evaluations.h"
#include "drumlin/ir/costs/Work.h"
#include "drumlin/ir/indexing/IndexingInterface.h"
#include "drumlin/ir/plan/InPlace.h"
#include "drumlin/ir/plan/OperationClasses.h"
#include "drumlin/ir/plan/Reducers.h"
#include "drumlin/ir/plan/loop/LoopProblem.h"
#include "llvm/ADT/DenseSet.h"

#include <cmath>
#include <limits>

using namespace mlir;

namespace drumlin {

static bool isContraction(Operation *op) {
  return isa<stablehlo::DotGeneralOp, stablehlo::ConvolutionOp>(op);
}

//===- evaluations ------------------------------------------------------------===//

namespace {
struct RegionCounts {
  llvm::DenseMap<Operation *, double> evaluations;
  // All evaluated operations except prefix scans that every traversal follows.
  llvm::DenseSet<Operation *> unfollowed;
};
} // namespace

// Counts evaluations in the loop structure that code generation emits for the kind of kernel.
static RegionCounts countsOf(Block &region, plan::KernelKind kind,
                             const std::optional<GemmCounts> &hero,
                             stablehlo::DynamicUpdateSliceOp update) {
  RegionCounts counts;
  auto addAll = [&](ArrayRef<Operation *> ops, Evaluations &evaluations) {
    evaluations.run();
    for (Operation *op : ops) {
      counts.evaluations[op] += evaluations.of(op);
      if (op != evaluations.followedScan()) {
        counts.unfollowed.insert(op);
      }
    }
  };
  SmallVector<Operation *> ops;
  Operation *heroOp = nullptr;
  for (Operation &op : region.without_terminator()) {
    ops.push_back(&op);
    heroOp = classify(&op) == OperationClass::Hero ? &op : heroOp;
  }
  ValueRange yielded = region.getTerminator()->getOperands();
  if (update) {
    // Only the updated slice is computed.
    Evaluations evaluations(ops);
    evaluations.walk({update.getUpdate()}, shapeOf(update.getUpdate()));
    for (Value start : update.getStartIndices()) {
      evaluations.ask(start, 1);
    }
    addAll(ops, evaluations);
    return counts;
  }
  if (kind == plan::KernelKind::loop || !heroOp) {
    for (const LoopGroup &group : groupRoots(region)) {
      Evaluations evaluations(group.slice.getArrayRef());
      evaluations.walk(llvm::to_vector(group.rootValues()), group.shape);
      addAll(group.slice.getArrayRef(), evaluations);
    }
    return counts;
  }
  Evaluations evaluations(ops);
  for (Value result : heroOp->getResults()) {
    evaluations.give(result);
  }
  if (isContraction(heroOp)) {
    evaluations.ask(heroOp->getOperand(0),
                    hero ? hero->lhsReads : static_cast<double>(elementsOf(heroOp->getOperand(0))));
    evaluations.ask(heroOp->getOperand(1),
                    hero ? hero->rhsReads : static_cast<double>(elementsOf(heroOp->getOperand(1))));
  } else {
    for (Value operand : heroOp->getOperands()) {
      evaluations.ask(operand, static_cast<double>(elementsOf(operand)));
    }
  }
  // Results of the hero's shape are stored in one loop. A full reduction also reads its operand in
  // this loop.
  SmallVector<Value> together;
  for (Value value : yielded) {
    Operation *op = value.getDefiningOp();
    auto reduce = dyn_cast_or_null<stablehlo::ReduceOp>(op);
    while (op && !reduce && op != heroOp && op->getNumOperands() == 1 && elementsOf(value) == 1) {
      op = op->getOperand(0).getDefiningOp();
      reduce = dyn_cast_or_null<stablehlo::ReduceOp>(op);
    }
    if (reduce && elementsOf(reduce.getResult(0)) == 1) {
      evaluations.give(reduce.getResult(0));
      counts.evaluations[reduce] = 1;
      together.push_back(reduce.getInputs().front());
      if (value != reduce.getResult(0)) {
        evaluations.ask(value, 1);
      }
    } else if (shapeOf(value) == shapeOf(heroOp->getResult(0))) {
      together.push_back(value);
    } else {
      evaluations.ask(value, static_cast<double>(elementsOf(value)));
    }
  }
  if (!together.empty()) {
    evaluations.askTogether(together, static_cast<double>(elementsOf(together.front())));
  }
  addAll(ops, evaluations);
  return counts;
}

// Counts the operations of math functions, less one per evaluation of a function, which flopsOf()
// counts.
static double functionOperations(Block &region,
                                 const llvm::DenseMap<Operation *, double> &evaluations) {
  double operations = 0;
  for (Operation &op : region.without_terminator()) {
    auto beyond = static_cast<double>(std::max<int64_t>(operationsPerElement(&op) - 1, 0));
    operations += evaluations.lookup(&op) * beyond;
  }
  return operations;
}

static Cost flopsOf(Block &region, const RegionCounts &counts,
                    const std::optional<GemmCounts> &hero) {
  Cost cost;
  for (Operation &op : region.without_terminator()) {
    if (isContraction(&op)) {
      cost.matrixFlops = addSaturating(cost.matrixFlops, multiplySaturating(2, multiplyAdds(&op)));
      int64_t executed = hero ? hero->multiplyAdds : denseMultiplyAdds(&op);
      cost.padFlops = addSaturating(cost.padFlops,
                                    std::max<int64_t>(multiplySaturating(2, executed) -
                                                          multiplySaturating(2, multiplyAdds(&op)),
                                                      0));
      continue;
    }
    if (classify(&op) == OperationClass::Hero) {
      cost.elementFlops = addSaturating(cost.elementFlops, heroFlops(&op));
      continue;
    }
    bool isFollowed = !counts.unfollowed.contains(&op);
    double each = flopsPerEvaluation(&op, isFollowed);
    if (each == 0) {
      continue;
    }
    double evaluated = counts.evaluations.lookup(&op) * each;
    if (isUpcast(&op)) {
      cost.upcastFlops = addSaturating(cost.upcastFlops, roundSaturating(evaluated));
      continue;
    }
    double once = std::min(evaluated, static_cast<double>(elementsOf(op.getResult(0))) * each);
    cost.recomputeFlops = addSaturating(cost.recomputeFlops, roundSaturating(evaluated - once));
    if (isa<stablehlo::ReduceWindowOp>(op)) {
      double body = each;
      for (int64_t size : cast<stablehlo::ReduceWindowOp>(op).getWindowDimensions()) {
        body /= isFollowed ? 1 : static_cast<double>(size);
      }
      double terms = static_cast<double>(windowTerms(&op, isFollowed)) * body;
      double asked = std::min(once, terms);
      cost.padFlops = addSaturating(cost.padFlops, roundSaturating(once - asked));
      once = asked;
    }
    cost.elementFlops = addSaturating(cost.elementFlops, roundSaturating(once));
  }
  return cost;
}

//===- bytes ------------------------------------------------------------------===//

static int64_t product(ArrayRef<int64_t> sizes) {
  int64_t made = 1;
  for (int64_t size : sizes) {
    made = multiplySaturating(made, size);
  }
  return made;
}

// Returns the expected share of `elements` elements that random slices cover. Each slice has `part`
// elements, and all slices together read `read` elements. An element is missed by one slice with
// probability 1 - part / elements, and by all of n slices with the n-th power of this probability.
static double shareCovered(double read, int64_t part, int64_t elements) {
  double each = std::min(1.0, static_cast<double>(part) / static_cast<double>(elements));
  return part > 0 ? 1 - std::pow(1 - each, read / static_cast<double>(part)) : 0;
}

namespace {
// Computes the share of a value's elements that its users read at least once.
class SharesRead {
public:
  // If `areIndicesRandom`, a gather counts with its average share for uniformly random indices;
  // otherwise, it counts with the largest possible share. Reads of operand 0 of the operation
  // `without` do not count.
  SharesRead(Operation *without, bool areIndicesRandom)
      : without(without), areIndicesRandom(areIndicesRandom) {}

  double of(Value value) {
    auto found = known.find(value);
    if (found != known.end()) {
      return found->second;
    }
    double taken = 0; // sum of the shares read by operations that select elements
    double whole = 0; // maximum of the shares read by all other operations
    for (OpOperand &use : value.getUses()) {
      add(use, taken, whole);
    }
    double share = std::min(1.0, std::max(whole, taken));
    known[value] = share;
    return share;
  }

private:
  void add(OpOperand &use, double &taken, double &whole) {
    Operation *user = use.getOwner();
    if (user == without && use.getOperandNumber() == 0) {
      return;
    }
    if (isa<plan::YieldOp>(user) || user->getParentRegion() != use.get().getParentRegion()) {
      whole = 1;
      return;
    }
    double share = 0;
    for (Value result : user->getResults()) {
      share = std::max(share, of(result));
    }
    int64_t elements = std::max<int64_t>(elementsOf(use.get()), 1);
    bool isMove = isDataMovement(user);
    bool isWhole = isMove && elementsOf(user->getResult(0)) == elements;
    bool takesSome = (isMove && elementsOf(user->getResult(0)) < elements) ||
                     isa<stablehlo::DynamicSliceOp, stablehlo::GatherOp>(user);
    if (takesSome && use.getOperandNumber() == 0) {
      auto gather = dyn_cast<stablehlo::GatherOp>(user);
      auto read = share * static_cast<double>(elementsOf(user->getResult(0)));
      taken += gather && areIndicesRandom
                   ? shareCovered(read, product(gather.getSliceSizes()), elements)
                   : read / static_cast<double>(elements);
    } else if (isWhole || classify(user) == OperationClass::Pointwise) {
      whole = std::max(whole, share);
    } else {
      whole = std::max(whole, share > 0 ? 1.0 : 0.0);
    }
  }

  Operation *without;
  bool areIndicesRandom;
  llvm::DenseMap<Value, double> known;
};
} // namespace

// Returns whether a user reads a slice of the value at a computed position.
static bool isReadAnywhere(Value value) {
  return llvm::any_of(value.getUses(), [](OpOperand &use) {
    Operation *user = use.getOwner();
    bool isPart = isa<stablehlo::DynamicSliceOp, stablehlo::GatherOp>(user);
    return use.getOperandNumber() == 0 &&
           (isPart || (isDataMovement(user) && isReadAnywhere(user->getResult(0))));
  });
}

static int64_t transposedBytes(Operation *op) {
  return transposes(op) ? bytesOf(op->getResult(0)) : 0;
}

// Returns the number of slices of its operand that a scatter updates.
static int64_t updatesOf(stablehlo::ScatterOp scatter) {
  int64_t updates = 1;
  auto windows = scatter.getScatterDimensionNumbers().getUpdateWindowDims();
  for (auto [i, size] : llvm::enumerate(shapeOf(scatter.getUpdates().front()))) {
    updates *= llvm::is_contained(windows, static_cast<int64_t>(i)) ? 1 : size;
  }
  return std::max<int64_t>(updates, 1);
}

KernelCost kernelCost(Operation *kernel, const InPlace &inPlace) {
  Block &region = kernel->getRegion(0).front();
  auto outlined = dyn_cast<plan::KernelOp>(kernel);
  plan::KernelKind kind = outlined ? outlined.getKind() : *plan::kernelKindOf(kernel);
  plan::KernelSchedule schedule = plan::scheduleOf(kernel);
  std::optional<GemmCounts> hero = schedule ? schedule.countsOf(kernel) : std::nullopt;
  KernelCost made;
  stablehlo::DynamicUpdateSliceOp update = kind == plan::KernelKind::loop && !inPlace.empty()
                                               ? inPlaceUpdate(region)
                                               : stablehlo::DynamicUpdateSliceOp();
  RegionCounts counts = countsOf(region, kind, hero, update);
  made.cost = flopsOf(region, counts, hero);
  made.functionOperations = functionOperations(region, counts.evaluations);
  for (Operation &op : region.without_terminator()) {
    if (!hero) {
      made.cost.transposedBytes = addSaturating(made.cost.transposedBytes, transposedBytes(&op));
    }
  }
  if (hero) {
    made.cost.transposedBytes = hero->transposedBytes;
  }
  // A scatter or a slice update that runs in place leaves all other elements unchanged.
  Operation *updater = update;
  if (kind == plan::KernelKind::scatter && !inPlace.empty()) {
    for (Operation &op : region) {
      updater = isa<stablehlo::ScatterOp>(op) ? &op : updater;
    }
  }
  SmallVector<double> readExpected, writtenExpected;
  SharesRead most(update, /*areIndicesRandom=*/false), expected(update, /*areIndicesRandom=*/true);
  for (BlockArgument argument : region.getArguments()) {
    double share = most.of(argument);
    auto bytes = static_cast<double>(bytesOf(argument));
    made.bytesRead.push_back(roundSaturating(share * bytes));
    readExpected.push_back(expected.of(argument) * bytes);
    if (share < 1 && isReadAnywhere(argument)) {
      made.readAnywhere.push_back(argument.getArgNumber());
    }
  }
  auto isInPlace = [&](unsigned number, bool input) {
    return llvm::any_of(inPlace,
                        [&](auto pair) { return (input ? pair.first : pair.second) == number; });
  };
  for (OpOperand &output : region.getTerminator()->getOpOperands()) {
    int64_t bytes = bytesOf(output.get());
    double expectedBytes = static_cast<double>(bytes);
    if (updater && isInPlace(output.getOperandNumber(), false)) {
      auto scatter = dyn_cast<stablehlo::ScatterOp>(updater);
      Value written = scatter ? scatter.getUpdates().front()
                              : cast<stablehlo::DynamicUpdateSliceOp>(updater).getUpdate();
      int64_t all = std::max<int64_t>(bytes, 1);
      bytes = std::min(bytes, bytesOf(written));
      expectedBytes = scatter ? shareCovered(static_cast<double>(bytesOf(written)),
                                             bytesOf(written) / updatesOf(scatter), all) *
                                    static_cast<double>(all)
                              : static_cast<double>(bytes);
    }
    made.bytesWritten.push_back(bytes);
    writtenExpected.push_back(expectedBytes);
  }
  if (auto scatter = dyn_cast_or_null<stablehlo::ScatterOp>(updater)) {
    for (auto [input, output] : inPlace) {
      made.bytesRead[input] = std::min(made.bytesRead[input], made.bytesWritten[output]);
      readExpected[input] = std::min(readExpected[input], writtenExpected[output]);
    }
  }
  for (double bytes : llvm::concat<double>(readExpected, writtenExpected)) {
    made.bytesExpected += bytes;
  }
  return made;
}

KernelCost operationCost(Operation *op) {
  KernelCost made;
  Cost &cost = made.cost;
  if (isContraction(op)) {
    cost.matrixFlops = multiplySaturating(2, multiplyAdds(op));
    cost.padFlops = multiplySaturating(2, denseMultiplyAdds(op)) - cost.matrixFlops;
  } else if (isa<stablehlo::ReduceWindowOp>(op)) {
    cost.elementFlops = windowTerms(op, prefixScan(op).has_value());
  } else if (classify(op) == OperationClass::Hero) {
    cost.elementFlops = heroFlops(op);
  } else if (op->getNumResults() > 0) {
    double flops = flopsPerEvaluation(op) * static_cast<double>(elementsOf(op->getResult(0)));
    (isUpcast(op) ? cost.upcastFlops : cost.elementFlops) = roundSaturating(flops);
  }
  cost.transposedBytes = transposedBytes(op);
  for (Value operand : op->getOperands()) {
    made.bytesRead.push_back(bytesOf(operand));
  }
  if (isa<stablehlo::SliceOp, stablehlo::DynamicSliceOp, stablehlo::GatherOp>(op)) {
    made.bytesRead.front() = std::min(made.bytesRead.front(), bytesOf(op->getResult(0)));
  }
  for (Value result : op->getResults()) {
    made.bytesWritten.push_back(bytesOf(result));
  }
  if (isa<stablehlo::DynamicSliceOp, stablehlo::GatherOp>(op)) {
    made.readAnywhere.push_back(0);
  }
  for (int64_t bytes : llvm::concat<int64_t>(made.bytesRead, made.bytesWritten)) {
    made.bytesExpected += static_cast<double>(bytes);
  }
  return made;
}

} // namespace drumlin
