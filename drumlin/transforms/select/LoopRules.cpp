// Chooses the traversals of loop kernels.
#include "drumlin/transforms/select/ScheduleRules.h"

#include "drumlin/ir/plan/OperationClasses.h"
#include "drumlin/ir/plan/Reducers.h"
#include "drumlin/ir/plan/loop/LoopCuts.h"
#include "drumlin/ir/sizes/SizeSymbols.h"
#include "drumlin/ir/stablehlo/ReduceOp.h"
#include "llvm/Support/MathExtras.h"

#include <numeric>

using namespace mlir;

namespace drumlin {

using plan::TraversalKind;

// Elements that one tile computes, if each takes at most `cheapOperations` operations. With fewer,
// handing work to another thread costs more than it saves.
static constexpr int64_t tileElements = 16 * 1024;
static constexpr int64_t cheapOperations = 16;
// Tiles of more expensive elements are smaller, but at least this fraction of `tileElements`.
static constexpr int64_t smallestTile = 16;

// Returns the number of accumulators that fit into half of the target's registers, for the widest
// type that the group's reductions accumulate.
static int64_t lanesInRegisters(const LoopGroup &group, const CpuTarget &target) {
  int64_t bytes = 1;
  for (Operation *op : group.slice) {
    if (isa<stablehlo::ReduceOp>(op)) {
      for (Type type : op->getResultTypes()) {
        ElementType element = elementTypeOf(getElementTypeOrSelf(type));
        int64_t stored = storageBytes(element);
        bytes = std::max(bytes, isFloat(element) ? std::max<int64_t>(stored, 4) : stored);
      }
    }
  }
  return std::max<int64_t>(target.vectorRegisters() / 2 * target.registerLanes(bytes), lanes);
}

// Returns the number of lanes, which may fill several registers. Each addition of a sum waits for
// the previous one, and several registers of separate sums hide this latency. If columns are
// reduced together, more lanes also read longer pieces of each row, but they may use only half of
// the registers: with all of AVX2's registers, sums of columns took 1.06 times as long in the
// geometric mean of 15 kernels (8 to 4096 rows of 256 to 50,257 elements; AMD EPYC of family 25).
static int64_t chooseLanes(const LoopGroup &group, int64_t available, const CpuTarget &target) {
  constexpr int64_t forRows = 4, forColumns = 8;
  constexpr int64_t maxOperations = 16; // more operations need registers for their values
  bool reduces =
      llvm::any_of(group.slice, [](Operation *op) { return isa<stablehlo::ReduceOp>(op); });
  int64_t pointwise = llvm::count_if(
      group.slice, [](Operation *op) { return classify(op) == OperationClass::Pointwise; });
  if (!reduces || pointwise > maxOperations || !staysContiguous(group)) {
    return lanes;
  }
  bool inner = llvm::any_of(group.slice, reducesInnermost);
  int64_t width = inner ? lanes * forRows
                        : std::min<int64_t>(lanes * forColumns, lanesInRegisters(group, target));
  for (Operation *op : group.slice) {
    if (reducesInnermost(op)) {
      available = std::min(available, shapeOf(op->getOperand(0)).back());
    }
  }
  while (width > lanes && width > available) {
    width /= 2;
  }
  return width;
}

// Returns whether blocks are transposed in registers. The positions of a block are unrolled, so
// each position may need only little computation.
static bool transposesInRegisters(const LoopGroup &group, int64_t dimension) {
  constexpr int64_t maxOperations = 16;
  int64_t operations = 0;
  for (Operation *op : group.slice) {
    operations += operationsPerElement(op);
  }
  std::vector<SizeExpression> sizes = symbolicSizesOf(group.roots.front().second);
  auto isMultiple = [](const SizeExpression &size, int64_t divisor) {
    return size.remainder(divisor).constant() == int64_t(0);
  };
  const SizeExpression &blocked = sizes[static_cast<size_t>(dimension)];
  bool areKnown = llvm::all_of(sizes, [](const SizeExpression &size) { return size.constant(); });
  bool areWhole = isMultiple(blocked, traverseBlock) && isMultiple(sizes.back(), lanes);
  return operations <= maxOperations && !transposesAlong(group, dimension).empty() &&
         group.rowLength() >= lanes && (areKnown || areWhole);
}

// Returns the number of elements that one step of a traversal reads, or computes if that number is
// larger.
static int64_t workOfStep(const LoopTraversal &traversal, const LoopGroup &group) {
  int64_t work = 1; // per result
  for (Operation *op : group.slice) {
    if (auto reduce = dyn_cast<stablehlo::ReduceOp>(op)) {
      int64_t in = *elementCount(shapeOf(reduce.getInputs().front()));
      int64_t out = std::max<int64_t>(*elementCount(shapeOf(reduce.getResult(0))), 1);
      work = std::max(work, in / out);
    }
  }
  switch (traversal.kind) {
  case TraversalKind::flat:
  case TraversalKind::single:
    return work;
  case TraversalKind::rows:
    return group.rowLength() * (rowReductions(group).empty() ? work : 1);
  case TraversalKind::blocked: {
    int64_t extent = group.shape[static_cast<size_t>(traversal.blockedDimension)];
    return std::min(group.rowLength(), traverseColumns) * std::min(extent, traverseBlock);
  }
  case TraversalKind::interleaved:
  case TraversalKind::scan:
    return group.elements() / std::max<int64_t>(stepsOf(traversal, group).nominal, 1);
  }
  llvm_unreachable("every traversal is handled above");
}

// Returns how many elements of few operations take as long as one of the group's.
static int64_t weightOfElement(const LoopGroup &group) {
  int64_t operations = 0;
  for (Operation *op : group.slice) {
    operations += operationsPerElement(op);
  }
  return std::clamp<int64_t>(operations / cheapOperations, 1, smallestTile);
}

static int64_t chooseTile(const LoopTraversal &traversal, const LoopGroup &group) {
  int64_t work = std::max<int64_t>(workOfStep(traversal, group), 1) * weightOfElement(group);
  int64_t tile = std::max<int64_t>(tileElements / work, 1);
  tile = std::max(tile, stepsOf(traversal, group).ceilQuotient(maxTasks).nominal);
  // Flat traversals use full vectors, or periods of several vectors, so each tile begins at a
  // vector or a period.
  int64_t whole = traversal.period != 0 ? traversal.period : traversal.vectorLanes;
  return traversal.kind == TraversalKind::flat ? llvm::divideCeilSigned(tile, whole) * whole : tile;
}

// Returns the period of a flat traversal: the number of positions after which the lanes' indices in
// the innermost dimensions repeat. Covers as many innermost dimensions as are small enough. Returns
// 0 if all vectors have the same indices, or if the code for a period would be too large.
static int64_t choosePeriod(const LoopTraversal &traversal, const LoopGroup &group) {
  constexpr int64_t maxOperations = 256, fewestPeriods = 4;
  auto isSized = [](Value root) { return hasSymbolicSizes(root.getType()); };
  if (traversal.kind != TraversalKind::flat || !needsDimensions(group) ||
      llvm::any_of(group.rootValues(), isSized)) {
    return 0;
  }
  int64_t inner = 1, period = traversal.vectorLanes;
  for (int64_t size : llvm::reverse(ArrayRef(group.shape))) {
    inner *= size;
    int64_t made = std::lcm(inner, traversal.vectorLanes), vectors = made / traversal.vectorLanes;
    if (inner > maxUnrolled * traversal.vectorLanes || vectors > maxUnrolled ||
        vectors * static_cast<int64_t>(group.slice.size()) > maxOperations ||
        made * fewestPeriods > group.elements()) {
      break;
    }
    period = made;
  }
  return period > traversal.vectorLanes ? period : 0;
}

namespace {
struct TraversalChoice {
  LoopTraversal traversal;
  TraversalKind runnerUp = TraversalKind::flat;
  std::string turningPoint; // empty: the same traversal at all sizes
};
} // namespace

static const std::string shorterRows =
                             "with rows of fewer than " + std::to_string(shortestRow) + " elements",
                         longerRows =
                             "with rows of " + std::to_string(shortestRow) + " elements on";

// Returns whether rows are long enough for a traversal by rows, and operands have boundaries in an
// outer dimension at which a traversal by rows can be split but a flat one can't.
static bool hasEdgesBetweenRows(const LoopGroup &group) {
  auto last = static_cast<int64_t>(group.shape.size()) - 1;
  return group.rowLength() >= shortestGatheredRow &&
         llvm::any_of(chooseCuts(TraversalKind::rows, group), [&](const LoopCut &cut) {
           return cut.dimension != last && !canCut(TraversalKind::flat, group, cut.dimension);
         });
}

static void chooseKind(TraversalChoice &choice, const LoopGroup &group, const CpuTarget &target) {
  LoopTraversal &traversal = choice.traversal;
  auto set = [&](TraversalKind kind, TraversalKind runnerUp, std::string turningPoint) {
    traversal.kind = kind;
    choice.runnerUp = runnerUp;
    choice.turningPoint = std::move(turningPoint);
  };
  int64_t rowLength = group.rowLength();
  bool isLong = hasLongRows(group);
  if (scanToFollow(group)) {
    return set(TraversalKind::scan, TraversalKind::flat,
               "where the scan is wanted in another order");
  }
  if (llvm::any_of(group.slice, [&](Operation *op) { return determinesLanes(op, group); })) {
    if (traversesRows(group)) {
      set(TraversalKind::rows, TraversalKind::single, shorterRows);
    } else {
      set(TraversalKind::single, TraversalKind::rows,
          isLong ? "where each reduction is the same for a whole row" : longerRows);
    }
    traversal.vectorLanes = chooseLanes(
        group, traversal.kind == TraversalKind::rows ? rowLength : group.elements() * maxLanes,
        target);
    return;
  }
  if (!needsDimensions(group)) {
    return set(TraversalKind::flat, TraversalKind::rows,
               "where an operation needs the index in a dimension");
  }
  // A flat traversal would cross rows, so each lane would have to compute its own row number.
  bool hasRows = interleavesParts(group) && group.shape[group.shape.size() - 2] >= shortestRow &&
                 group.elements() > rowLength * group.shape[group.shape.size() - 2];
  if (hasRows) {
    return set(TraversalKind::interleaved, TraversalKind::flat, shorterRows);
  }
  if (!isLong && hasEdgesBetweenRows(group)) {
    return set(TraversalKind::rows, TraversalKind::flat, "where operands have no edges in between");
  }
  if (!isLong) {
    return set(TraversalKind::flat, TraversalKind::rows, longerRows);
  }
  if (std::optional<int64_t> dimension = transposedDimension(group)) {
    traversal.blockedDimension = *dimension;
    traversal.inRegisters = transposesInRegisters(group, *dimension);
    return set(TraversalKind::blocked, TraversalKind::flat, shorterRows);
  }
  traversal.vectorLanes = chooseLanes(group, rowLength, target);
  if (!traversesRows(group)) {
    return set(TraversalKind::flat, TraversalKind::rows, "with more than one row");
  }
  set(TraversalKind::rows, TraversalKind::flat, shorterRows);
}

bool differsInSums(const LoopSchedule &a, const LoopSchedule &b, ArrayRef<LoopGroup> groups) {
  auto addsUp = [](Operation *op) {
    return isa<stablehlo::ReduceOp>(op) && llvm::any_of(op->getResultTypes(), [](Type type) {
             return isFloat(elementTypeOf(getElementTypeOrSelf(type)));
           });
  };
  return llvm::any_of(llvm::zip(a.traversals, b.traversals, groups), [&](auto each) {
    auto &[one, other, group] = each;
    return (one.kind != other.kind || one.vectorLanes != other.vectorLanes) &&
           llvm::any_of(group.slice, addsUp);
  });
}

RuleChoice loopChoice(ArrayRef<LoopGroup> groups, const CpuTarget &target, MLIRContext *context) {
  LoopSchedule schedule;
  RuleChoice made;
  for (const LoopGroup &group : groups) {
    TraversalChoice choice;
    chooseKind(choice, group, target);
    choice.traversal.period = choosePeriod(choice.traversal, group);
    choice.traversal.tile = chooseTile(choice.traversal, group);
    choice.traversal.cuts = chooseCuts(choice.traversal.kind, group);
    schedule.traversals.push_back(choice.traversal);
    if (made.runnerUp.empty()) {
      made.runnerUp = stringifyTraversalKind(choice.runnerUp).str();
      made.turningPoint = choice.turningPoint;
    }
  }
  made.schedule = plan::LoopScheduleAttr::get(context, schedule);
  return made;
}

} // namespace drumlin
