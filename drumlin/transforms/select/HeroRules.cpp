// Chooses schedules of sorts, scatters, windows, triangular matrices and Fourier transforms.
#include "drumlin/ir/plan/FftOp.h"
#include "drumlin/ir/plan/ScatterOp.h"
#include "drumlin/ir/plan/SortOp.h"
#include "drumlin/ir/plan/TriangularOp.h"
#include "drumlin/ir/plan/WindowOp.h"
#include "drumlin/ir/plan/heroes/FftProblem.h"
#include "drumlin/transforms/select/ScheduleRules.h"

#include "drumlin/ir/indexing/LaneForm.h"
#include "drumlin/ir/plan/heroes/ScatterProblem.h"
#include "drumlin/ir/plan/heroes/SortProblem.h"
#include "drumlin/ir/plan/heroes/TriangularProblem.h"
#include "drumlin/ir/plan/heroes/WindowProblem.h"
#include "drumlin/ir/stablehlo/StablehloTypes.h"
#include "drumlin/support/Cost.h"
#include "llvm/Support/MathExtras.h"

using namespace mlir;

namespace drumlin {

// Return the cost of sorting a row (PackedSort), and the cost of one of the k passes that each
// select the smallest remaining word of a row. The unit is the time that such a pass takes per word
// with AVX-512: 0.033 ns on a Zen 4. AVX2 has no 64-bit minimum instruction, so a pass takes three
// units per word. Measured with rows of 4 to 50,257 numbers and k of 1 to 50.
static int64_t stepsOfSorting(const SortProblem &problem, int64_t count) {
  constexpr int64_t longestInserted = 32;
  int64_t digits = keyBits(problem.keyType().value_or(ElementType::F32)) / 8;
  return count <= longestInserted ? 500 + 15 * count * count : digits * (4500 + 33 * count);
}
static int64_t stepsOfPass(const SortProblem &problem) { return 600 + 3 * problem.length.nominal; }

// Returns the largest k for which k passes are cheaper than `otherSteps`. The maximum is 16, since
// without AVX2 a pass takes five times as long per word.
static int64_t mostMinima(const SortProblem &problem, int64_t otherSteps) {
  constexpr int64_t most = 16;
  return problem.hasNarrowWords() ? std::min(most, otherSteps / stepsOfPass(problem)) : 0;
}

static RuleChoice usual(SortProblem problem) {
  // Minimum elements that a work item sorts. With fewer elements, handing rows to another thread
  // costs more than it saves.
  constexpr int64_t taskElements = 4 * 1024;
  // Minimum number of candidates, in addition to k, that are kept before the list is cut to k
  // again, so that cuts are rare.
  constexpr int64_t minSpareCandidates = 1024;
  int64_t tile = 1;
  if (problem.rows.nominal * problem.length.nominal != 0) {
    tile = std::max({int64_t(1), taskElements / problem.length.nominal,
                     llvm::divideCeilSigned(problem.rows.nominal, maxTasks)});
  }
  MLIRContext *context = problem.op->getContext();
  auto made = [&](plan::SortAlgorithm algorithm, int64_t candidates, std::string runnerUp,
                  std::string turningPoint) {
    return RuleChoice{plan::SortScheduleAttr::get(context, algorithm, tile, candidates),
                      std::move(runnerUp), std::move(turningPoint)};
  };
  if (!problem.isTopK()) {
    return problem.key ? made(plan::SortAlgorithm::radix, 0, "merge",
                              "where the comparator compares more than one key")
                       : made(plan::SortAlgorithm::merge, 0, "radix",
                              "where the comparator compares one key of either side");
  }
  int64_t candidates =
      llvm::alignTo<lanes>(problem.kept + std::max(problem.kept, minSpareCandidates));
  bool maySelect = problem.length.nominal / 2 >= candidates;
  // Steps per number of a selection. A selection reads each number, and sorts its candidates at
  // least once.
  constexpr int64_t stepsOfLook = 5;
  int64_t otherSteps =
      maySelect ? stepsOfSorting(problem, candidates) + stepsOfLook * problem.length.nominal
                : stepsOfSorting(problem, problem.length.nominal);
  if (int64_t most = mostMinima(problem, otherSteps); problem.kept <= most) {
    return made(plan::SortAlgorithm::minima, 0, maySelect ? "select" : "radix",
                "with a k of " + std::to_string(most + 1) + " on");
  }
  std::string rows = std::to_string(2 * candidates) + " elements";
  return maySelect ? made(plan::SortAlgorithm::select, candidates, "radix",
                          "with rows of fewer than " + rows)
                   : made(plan::SortAlgorithm::radix, 0, "select", "with rows of " + rows + " on");
}

namespace {
// How a scatter's result is divided between tasks.
struct ScatterDivision {
  int64_t tile = 0, dimension = 0; // 0: not divided
};
} // namespace

// Chooses the outermost dimension along which enough tasks get a share of the updates. Each task
// walks over all windows, so windows must have enough elements that this takes little of the time.
static ScatterDivision divisionOf(const ScatterProblem &problem, bool byLanes) {
  constexpr int64_t mostTasks = 64, enoughTasks = 16;
  // Minimum updates of a task, minimum elements of a window that different tasks share, and of one
  // that most tasks skip.
  constexpr int64_t taskUpdates = 4 * 1024, sharedElements = 64, skippedElements = 256;
  stablehlo::ScatterOp op = problem.op;
  ArrayRef<int64_t> shape = shapeOf(op.getInputs().front());
  ArrayRef<int64_t> updateShape = shapeOf(op.getUpdates().front());
  int64_t updates = 1, elements = 1; // all, and of a window
  for (auto [size, dimension] : llvm::zip_equal(updateShape, problem.windowDim)) {
    updates = multiplySaturating(updates, size);
    elements *= dimension >= 0 ? size : 1;
  }
  if (elements == 0 || updates < 2 * taskUpdates) {
    return {};
  }
  int64_t windows = updates / elements;
  auto indexed = op.getScatterDimensionNumbers().getScatterDimsToOperandDims();
  ScatterDivision best;
  int64_t most = 1;
  for (auto [d, size] : llvm::enumerate(shape)) {
    auto dimension = static_cast<int64_t>(d);
    if (size < 2 || !problem.mayDivide(dimension, byLanes)) {
      continue;
    }
    const int64_t *window = llvm::find(problem.windowDim, dimension);
    int64_t inWindow =
        window == problem.windowDim.end() ? 1 : updateShape[window - problem.windowDim.begin()];
    bool isShared = inWindow == size || (windows == 1 && inWindow > size / 2);
    bool isIndexed = llvm::is_contained(indexed, dimension);
    if (elements < (isShared ? sharedElements : skippedElements) || (windows == 1 && !isShared) ||
        (!isShared && !isIndexed)) {
      continue;
    }
    int64_t tasks = std::min({mostTasks, size, updates / taskUpdates});
    int64_t tile = llvm::divideCeilSigned(size, std::max<int64_t>(tasks, 1));
    if (byLanes && dimension == problem.windowDim[problem.rowDim]) {
      int64_t whole = std::max<int64_t>(static_cast<int64_t>(lanes) / problem.rowInner, 1);
      tile = llvm::divideCeilSigned(tile, whole) * whole;
    }
    tasks = llvm::divideCeilSigned(size, tile);
    if (tasks > most) {
      most = tasks;
      best = {tile, dimension};
    }
    if (most >= enoughTasks) {
      break;
    }
  }
  return best;
}

static RuleChoice usual(ScatterProblem problem) {
  // Rows shorter than this are traversed element by element, since masked registers would be mostly
  // empty.
  constexpr int64_t minLaneElements = 8;
  MLIRContext *context = problem.op.getContext();
  auto made = [&](plan::LaneUse traversal) {
    ScatterDivision division = divisionOf(problem, traversal == plan::LaneUse::by_lanes);
    return plan::ScatterScheduleAttr::get(context, traversal, division.tile, division.dimension);
  };
  std::string rows = "with rows of " + std::to_string(minLaneElements) + " elements on";
  if (problem.rowElements >= minLaneElements) {
    return {made(plan::LaneUse::by_lanes), "one_by_one",
            "with rows of fewer than " + std::to_string(minLaneElements) + " elements"};
  }
  return {made(plan::LaneUse::one_by_one), "by_lanes",
          problem.rowElements > 0 ? rows : "where windows are rows of the result"};
}

static RuleChoice usual(WindowProblem problem) {
  // Minimum window elements that a work item reads.
  constexpr int64_t taskElements = 16 * 1024;
  // If the last dimension is shorter than this, windows are traversed element by element.
  constexpr int64_t minLaneElements = 4;
  // Windows of up to this many elements are unrolled: a loop of few iterations costs more than the
  // operations in it.
  constexpr int64_t maxUnrolledElements = 16;
  // Sizes are capped at the size of a work item: larger sizes give the same result, and could
  // overflow.
  auto upToTask = [&](int64_t elements) { return std::min(elements, taskElements); };

  bool byLanes = problem.mayUseLanes() && problem.shape.back() >= minLaneElements;
  auto made = [&](int64_t tile, int64_t unrolled) {
    return plan::WindowScheduleAttr::get(
        problem.op.getContext(), byLanes ? plan::LaneUse::by_lanes : plan::LaneUse::one_by_one,
        tile, unrolled);
  };
  WindowTraversal traversal(made(1, 0), problem);
  int64_t unrolled = 0, places = 1;
  for (size_t d = traversal.traversedDims; d > traversal.batchDims; --d, ++unrolled) {
    places *= upToTask(problem.window[d - 1]);
    if (places > maxUnrolledElements) {
      break;
    }
  }
  int64_t tile = 1;
  if (traversal.batches.nominal > 0) {
    int64_t sourceElements =
        std::max<int64_t>(*elementCount(problem.sourceShape) / traversal.batches.nominal, 1);
    int64_t work = std::max(upToTask(traversal.perBatch.nominal), upToTask(sourceElements));
    for (int64_t size : problem.window) {
      work = upToTask(work * upToTask(size));
    }
    tile = std::max(llvm::divideCeilSigned(taskElements, std::max<int64_t>(work, 1)),
                    llvm::divideCeilSigned(traversal.batches.nominal, maxTasks));
  }
  std::string length = std::to_string(minLaneElements) + " elements";
  if (byLanes) {
    return {made(tile, unrolled), "one_by_one", "with a last dimension of fewer than " + length};
  }
  return {made(tile, unrolled), "by_lanes",
          problem.mayUseLanes() ? "with a last dimension of " + length + " on"
                                : "where windows don't cross the last dimension"};
}

// Returns the factors of a transform's passes. Factors of eight and four come first, so that lanes
// can store results as full registers. Odd factors follow, the largest first.
static SmallVector<int64_t> passesOf(int64_t length) {
  SmallVector<int64_t> factors;
  int64_t twos = llvm::countr_zero(static_cast<uint64_t>(length));
  for (; twos > 4 || twos == 3; twos -= 3) {
    factors.push_back(8);
  }
  for (; twos >= 2; twos -= 2) {
    factors.push_back(4);
  }
  if (twos == 1) {
    factors.push_back(2);
  }
  SmallVector<int64_t> primes = primesOf(length);
  for (int64_t prime : llvm::reverse(primes)) {
    if (prime != 2) {
      factors.push_back(prime);
    }
  }
  return factors;
}

// Returns the cheapest length of a convolution for a line of length n: a length of at least 2 n - 1
// with small factors.
static int64_t paddedLength(int64_t length) {
  int64_t least = 2 * length - 1, best = 0;
  for (int64_t odd : {1, 3, 5, 9, 15}) {
    int64_t padded = odd;
    while (padded < least) {
      padded *= 2;
    }
    best = best == 0 || padded < best ? padded : best;
  }
  return best;
}

static RuleChoice usual(FftProblem problem) {
  // Minimum elements that a work item transforms.
  constexpr int64_t taskElements = 8 * 1024;
  // Lines shorter than `minAlong`, and lines whose length isn't a multiple of a register, are
  // transformed side by side if there are enough of them.
  constexpr int64_t minAlong = 64, maxAcross = 4096;
  // Registers are full enough if neighbours in memory belong to at least this many lines.
  constexpr int64_t minColumns = 4;
  int64_t length = std::max<int64_t>(problem.passLength(), 1), padded = 0;
  SmallVector<int64_t> primes = primesOf(length);
  if (!primes.empty() && primes.back() > largestDirectFactor) {
    padded = paddedLength(length);
  }
  int64_t passes = padded != 0 ? padded : length;
  bool mayUseAcross = shapeOf(problem.op.getOperand()).size() > 1;
  bool isUneven = passes < minAlong || passes % lanes != 0;
  bool isAcross = mayUseAcross && (problem.isOperandAlong && problem.isResultAlong
                                       ? problem.lines >= lanes && isUneven && passes <= maxAcross
                                       : problem.columns >= minColumns);
  int64_t blockElements = passes * (isAcross ? lanes : 1);
  int64_t blocks = isAcross ? llvm::divideCeilSigned(problem.lines, lanes) : problem.lines;
  int64_t tile = std::max(
      {int64_t(1), taskElements / blockElements, llvm::divideCeilSigned(blocks, maxTasks)});
  // This many adjacent blocks of non-contiguous lines are copied together.
  constexpr int64_t copied = 4;
  if (isAcross && !(problem.isOperandAlong && problem.isResultAlong) &&
      problem.columns >= copied * static_cast<int64_t>(lanes)) {
    tile = llvm::alignTo<copied>(static_cast<uint64_t>(tile));
  }
  auto traversal = isAcross ? plan::LineLanes::across : plan::LineLanes::along;
  RuleChoice choice{plan::FftScheduleAttr::get(problem.op.getContext(), traversal, passesOf(passes),
                                               tile, padded),
                    {},
                    {}};
  if (!problem.isOperandAlong || !problem.isResultAlong) {
    choice.runnerUp = isAcross ? "along" : "across";
    choice.turningPoint = "with " + std::string(isAcross ? "fewer than " : "") +
                          std::to_string(minColumns) + (isAcross ? " columns" : " columns on");
  } else if (mayUseAcross) {
    choice.runnerUp = isAcross ? "along" : "across";
    choice.turningPoint = isAcross ? "with a length of " + std::to_string(minAlong) +
                                         " on that is a multiple of " + std::to_string(lanes)
                                   : "with " + std::to_string(lanes) +
                                         " lines on, of a length that is short or no multiple of " +
                                         std::to_string(lanes);
  }
  return choice;
}

static RuleChoice usual(TriangularProblem problem) {
  // Minimum multiply-adds of a work item. With fewer, handing a work item to another thread costs
  // more than it saves.
  constexpr double taskMultiplyAdds = 16 * 1024;
  // Rows of a block. One work item factorizes a block while others wait. With fewer rows, the
  // remaining matrix is loaded and stored more often, in more steps.
  constexpr int64_t block = 128;
  // With at least this many matrices, there are enough work items even if threads don't share the
  // steps of a matrix.
  constexpr int64_t enoughMatrices = 8;
  // Sharing the steps of a smaller matrix among threads takes longer than computing it on one
  // thread.
  constexpr int64_t minSteppedSize = 192;

  // In a large solve, the panels of one work item share the matrix elements that they read. Work
  // items get several panels only if enough work items remain for this many threads.
  constexpr int64_t minSolveTasks = 16, maxSharingPanels = 8;

  int64_t panels = std::max<int64_t>(problem.panels().nominal, 1);
  bool isStepped = !problem.isSized && problem.matrices.nominal < enoughMatrices &&
                   problem.size.nominal >= minSteppedSize && (problem.factorizes() || panels > 1);
  // The elements of a work item are matrices or, for solves, panels.
  bool areMatrices = problem.factorizes() && !isStepped;
  double each = problem.multiplyAdds() * static_cast<double>(problem.parts() * problem.parts());
  each = std::max(areMatrices ? each : each / static_cast<double>(panels), 1.0);
  int64_t items = areMatrices ? problem.matrices.nominal : problem.matrices.nominal * panels;
  int64_t tile = std::max({int64_t(1), static_cast<int64_t>(taskMultiplyAdds / each),
                           llvm::divideCeilSigned(items, maxTasks)});
  if (!problem.factorizes()) {
    // The panels of a work item share the matrix that they read. If the matrix isn't packed in
    // advance, they also share its packing.
    tile = std::max(tile, isStepped ? std::min(panels / minSolveTasks, maxSharingPanels)
                          : problem.matrices.nominal >= enoughMatrices ? panels
                                                                       : int64_t(1));
  }
  std::string size = std::to_string(minSteppedSize) + " rows";
  std::string count = std::to_string(enoughMatrices) + " matrices";
  plan::TriangularAlgorithm algorithm =
      isStepped ? plan::TriangularAlgorithm::stepped : plan::TriangularAlgorithm::whole;
  return {plan::TriangularScheduleAttr::get(problem.op->getContext(), algorithm, block, tile),
          isStepped ? "whole" : "stepped",
          isStepped ? "with fewer than " + size + ", or " + count + " or more"
                    : "with " + size + " or more and fewer than " + count};
}

template <typename Problem, typename Op> static RuleChoice chooseFor(Op kernel) {
  return orGiven(usual(Problem(kernel.getBody().front())), kernel);
}

RuleChoice choose(ScheduleRules<plan::SortOp> /*of*/, plan::SortOp kernel,
                  const CpuTarget & /*target*/) {
  return chooseFor<SortProblem>(kernel);
}
RuleChoice choose(ScheduleRules<plan::ScatterOp> /*of*/, plan::ScatterOp kernel,
                  const CpuTarget & /*target*/) {
  return chooseFor<ScatterProblem>(kernel);
}
RuleChoice choose(ScheduleRules<plan::WindowOp> /*of*/, plan::WindowOp kernel,
                  const CpuTarget & /*target*/) {
  return chooseFor<WindowProblem>(kernel);
}
RuleChoice choose(ScheduleRules<plan::FftOp> /*of*/, plan::FftOp kernel,
                  const CpuTarget & /*target*/) {
  return chooseFor<FftProblem>(kernel);
}
RuleChoice choose(ScheduleRules<plan::TriangularOp> /*of*/, plan::TriangularOp kernel,
                  const CpuTarget & /*target*/) {
  TriangularProblem problem(kernel.getBody().front());
  auto usually = cast<plan::TriangularScheduleAttr>(usual(problem).schedule);
  RuleChoice choice = chooseFor<TriangularProblem>(kernel);
  auto chosen = cast<plan::TriangularScheduleAttr>(choice.schedule);
  // A solve from the last row to the first takes blocks in that order, but the rows within a block
  // in ascending order. So the block size changes the order of additions.
  choice.changesSums =
      !problem.factorizes() && !problem.lower && chosen.getBlock() != usually.getBlock();
  return choice;
}

} // namespace drumlin
