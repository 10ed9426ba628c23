#include "drumlin/ir/plan/KernelSums.h"

#include "drumlin/ir/indexing/LaneForm.h"
#include "drumlin/ir/plan/KernelKinds.h"
#include "drumlin/ir/plan/OperationClasses.h"
#include "drumlin/ir/plan/Reducers.h"
#include "drumlin/ir/plan/heroes/ScatterProblem.h"
#include "drumlin/ir/plan/loop/LoopSchedule.h"
#include "drumlin/ir/plan/loop/ReductionBlocks.h"
#include "drumlin/ir/stablehlo/AddOp.h"
#include "drumlin/ir/stablehlo/ConvolutionOp.h"
#include "drumlin/ir/stablehlo/DotGeneralOp.h"
#include "drumlin/ir/stablehlo/ReduceOp.h"
#include "drumlin/ir/stablehlo/ReduceWindowOp.h"
#include "drumlin/ir/stablehlo/ScatterOp.h"
#include "drumlin/ir/stablehlo/SelectAndScatterOp.h"
#include "drumlin/ir/stablehlo/StablehloTypes.h"
#include "drumlin/ir/stablehlo/SubtractOp.h"
#include "drumlin/support/Cost.h"
#include "llvm/Support/MathExtras.h"

#include <cmath>

using namespace mlir;

namespace drumlin {

// Returns the number of roundings when the sums of `blocks` blocks are joined (SumOfBlocks).
// Joining also adds up the rounding errors of its additions, and adds their sum to the result at
// the end, which rounds once. If the magnitudes of the sums of m blocks add up to B, each error is
// at most u B (1 + m u). Adding k errors one after another rounds their sum k times.
static double roundingsOfJoining(double blocks, ElementType type) {
  double u = unitRoundoff(type);
  double grown = 1 + blocks * u;
  return blocks <= 1 ? 0 : 1 + blocks * (blocks + 1) / 2 * u * grown * grown;
}

//===- products ---------------------------------------------------------------------===//

// Returns the roundings of a GEMM's sums under a schedule.
static double roundingsOf(const GemmSchedule &schedule, const GemmProblem &problem) {
  SumOrder order(schedule, problem);
  auto k = static_cast<double>(problem.k);
  double block =
      order.blockTerms > 0 ? std::min<double>(k, static_cast<double>(order.blockTerms)) : k;
  double blocks = std::ceil(k / std::max(block, 1.0));
  // The multiplication may be rounded before the addition.
  double product = 1;
  // If lanes run along k, each lane adds its share of the k elements. Then the sums of the lanes
  // are added.
  auto lanesAlongK = static_cast<double>(order.partialSums);
  double chain =
      std::ceil(block / lanesAlongK) + (order.partialSums > 1 ? 1 + std::log2(lanesAlongK) : 0);
  // Each row of a window is split into blocks separately. This may double the number of blocks.
  if (schedule.algorithm == plan::GemmAlgorithm::direct && blocks > 1) {
    blocks *= 2;
  }
  if (schedule.algorithm != plan::GemmAlgorithm::packed) {
    return product + chain + roundingsOfJoining(blocks, problem.sumType);
  }
  // The blocks of a group are consecutive. Each block is added to the sum of the previous blocks.
  auto group = static_cast<double>(schedule.groupDepth());
  double depth = static_cast<double>(schedule.tileDepth);
  double blocksOfGroup = std::ceil(std::min(k, group) / std::max(depth, 1.0));
  bool inRegisters = info(schedule.unit).hasTiles();
  double inGroup = inRegisters ? std::min(k, group) : std::min(k, depth) + blocksOfGroup;
  return product + inGroup + roundingsOfJoining(std::ceil(k / group), problem.sumType);
}

// Returns the type in which a sum of floats is accumulated.
static ElementType sumTypeOf(Operation *op) {
  ElementType result = elementTypeOf(getElementTypeOrSelf(op->getResult(0).getType()));
  return result == ElementType::F64 ? ElementType::F64 : ElementType::F32;
}

static std::optional<SumBound> boundOfProduct(Operation *op, const GemmSchedule &schedule) {
  GemmProblem problem = scheduledProblem(op, schedule);
  if (!isFloat(problem.sumType)) {
    return std::nullopt;
  }
  return SumBound{roundingsOf(schedule, problem), problem.sumType, problem.k};
}

// Returns the bound of a reduction over all elements of the kernel's result. The reduction is
// computed tile by tile.
static std::optional<SumBound> boundOfCombined(stablehlo::ReduceOp reduce,
                                               const GemmSchedule &schedule) {
  Operation *hero = contractionOf(reduce->getParentRegion()->front());
  if (!hero) {
    return std::nullopt;
  }
  ElementType type = sumTypeOf(reduce);
  GemmProblem problem = scheduledProblem(hero, schedule);
  GemmTiles tiles(schedule, problem);
  double stores =
      static_cast<double>(schedule.tileRows) *
      static_cast<double>(
          llvm::divideCeilSigned(std::max<int64_t>(schedule.tileColumns, 1), lanes) + 1);
  double roundings = roundingsOfJoining(std::max(stores, 2.0), type) + std::log2(lanes) +
                     roundingsOfJoining(static_cast<double>(tiles.tiles.nominal) + 1, type);
  return SumBound{roundings, type, elementsOf(reduce.getInputs().front())};
}

//===- reductions -------------------------------------------------------------------===//

static int64_t termsOf(stablehlo::ReduceOp reduce) {
  ArrayRef<int64_t> shape = shapeOf(reduce.getInputs().front());
  int64_t terms = 1;
  for (int64_t dimension : reduce.getDimensions()) {
    terms = multiplySaturating(terms, shape[static_cast<size_t>(dimension)]);
  }
  return terms;
}

static int64_t termsOf(stablehlo::ReduceWindowOp window) {
  int64_t terms = 1;
  for (int64_t size : window.getWindowDimensions()) {
    terms = multiplySaturating(terms, size);
  }
  return terms;
}

namespace {
// Maximum number of roundings in a loop: of an element that the loop adds, and of the value that is
// carried into the loop.
struct Roundings {
  double ofTerms = 0, ofCarried = 0;
};
} // namespace

// Returns the roundings of a loop of `steps` steps, in blocks of `perBlock` steps.
static Roundings roundingsOfLoop(double steps, double perBlock, const Roundings &step,
                                 ElementType type) {
  auto chain = [&](double count) {
    return Roundings{step.ofTerms + (count - 1) * step.ofCarried, count * step.ofCarried};
  };
  if (steps <= perBlock) {
    return chain(std::max(steps, 1.0));
  }
  double joining = roundingsOfJoining(std::ceil(steps / perBlock), type);
  return {chain(perBlock).ofTerms + joining, joining};
}

// Returns the roundings of ReductionTraversal's loops over the reduced dimensions, with `width`
// lanes along the last dimension.
static double roundingsOfNest(ArrayRef<int64_t> sizes, int64_t width, ElementType type) {
  int64_t last = sizes.empty() ? 1 : sizes.back();
  Roundings made =
      roundingsOfLoop(static_cast<double>(last / width), ReductionBlocks::terms, {1, 1}, type);
  bool hasTail = last % width != 0 || last == 0;
  made.ofTerms += hasTail ? 1 : 0;
  made.ofCarried += hasTail ? 1 : 0;
  for (size_t d = sizes.size(); d > 1; --d) {
    int64_t perBlock = ReductionBlocks::stepsOutside(sizes.drop_front(d - 1));
    made = roundingsOfLoop(static_cast<double>(sizes[d - 2]), static_cast<double>(perBlock), made,
                           type);
  }
  // The sums of the lanes are added in log2(width) steps. Each step adds one half of the lanes to
  // the other half. Then the initial value is added.
  return made.ofTerms + std::ceil(std::log2(static_cast<double>(width))) + 1;
}

// Returns the maximum of the bounds of all loop structures that code generation may choose. Lanes
// may run along results or along reduced elements. The reduced dimensions may have separate loops
// or a common loop.
std::optional<SumBound> boundOfReduction(Operation *op, ArrayRef<int64_t> widths,
                                         bool isAlongTerms) {
  auto reduce = dyn_cast<stablehlo::ReduceOp>(op);
  if (!reduce) {
    return std::nullopt;
  }
  ArrayRef<int64_t> shape = shapeOf(reduce.getInputs().front());
  SmallVector<int64_t> sizes;
  for (int64_t dimension : reduce.getDimensions()) {
    sizes.push_back(shape[static_cast<size_t>(dimension)]);
  }
  int64_t terms = termsOf(reduce);
  ElementType type = sumTypeOf(reduce);
  SmallVector<int64_t> all(widths);
  all.push_back(lanes);
  if (!isAlongTerms || sizes.empty() || sizes.back() <= 1) {
    all.push_back(1);
  }
  double roundings = 0;
  for (int64_t width : all) {
    roundings = std::max(
        {roundings, roundingsOfNest(sizes, width, type), roundingsOfNest({terms}, width, type)});
  }
  return SumBound{roundings, type, terms};
}

// Whether any of the values that a body returns is the result of an addition or subtraction.
static bool addsUpdates(Region &body) {
  return llvm::any_of(body.front().getTerminator()->getOperands(), [](Value value) {
    return isa_and_present<stablehlo::AddOp, stablehlo::SubtractOp>(value.getDefiningOp());
  });
}

// Returns the bound of a reduction of several operands. Such a reduction combines the elements one
// after another, because its results may depend on each other.
static SumBound boundOfSeveral(Operation *op, ElementType type) {
  auto window = dyn_cast<stablehlo::ReduceWindowOp>(op);
  int64_t terms = window ? termsOf(window) : termsOf(cast<stablehlo::ReduceOp>(op));
  return {static_cast<double>(terms), type, terms};
}

//===- windows and scatters -----------------------------------------------------------===//

static std::optional<SumBound> boundOfWindow(stablehlo::ReduceWindowOp window, ElementType type) {
  if (std::optional<PrefixScan> scan = prefixScan(window)) {
    // A scan carries a running value. If it computes a vector at a time, it first adds lanes of the
    // vector at distances 1, 2, 4 and so on.
    int64_t terms = shapeOf(window.getInputs().front())[static_cast<size_t>(scan->dimension)];
    return SumBound{static_cast<double>(terms) + std::log2(maxLanes), type, terms};
  }
  int64_t terms = termsOf(window);
  return SumBound{static_cast<double>(terms), type, terms};
}

static std::optional<SumBound> boundOfScatter(stablehlo::ScatterOp scatter, ElementType type) {
  if (!addsUpdates(scatter.getUpdateComputation())) {
    return std::nullopt;
  }
  int64_t terms = updatesOfElement(scatter);
  return SumBound{static_cast<double>(terms), type, terms + 1};
}

// Returns the bound of a select_and_scatter: each element receives at most one source value per
// window that contains it.
static std::optional<SumBound> boundOfSelection(stablehlo::SelectAndScatterOp op,
                                                ElementType type) {
  if (!addsUpdates(op.getScatter())) {
    return std::nullopt;
  }
  int64_t terms = 1;
  for (auto [size, stride] :
       llvm::zip(op.windowDimensionsOrDefault(), op.windowStridesOrDefault())) {
    terms = multiplySaturating(terms, llvm::divideCeilSigned(size, stride));
  }
  return SumBound{static_cast<double>(terms), type, terms + 1};
}

//===- all ----------------------------------------------------------------------------===//

namespace plan {

std::optional<SumBound> GemmScheduleAttr::sumBoundOf(Operation *sum) const {
  auto reduce = dyn_cast<stablehlo::ReduceOp>(sum);
  return reduce ? boundOfCombined(reduce, getSchedule()) : boundOfProduct(sum, getSchedule());
}

// Returns the bound of a loop kernel's sum. If every traversal computes one result at a time, lanes
// run along the reduced elements. The number of lanes does not depend on the register width of the
// target.
std::optional<SumBound> LoopScheduleAttr::sumBoundOf(Operation *sum) const {
  const std::vector<LoopTraversal> &traversals = getSchedule().traversals;
  auto widths = llvm::map_to_vector(
      traversals, [](const LoopTraversal &traversal) { return traversal.vectorLanes; });
  bool isAlongTerms =
      !traversals.empty() && llvm::all_of(traversals, [](const LoopTraversal &traversal) {
        return traversal.kind == TraversalKind::single;
      });
  return boundOfReduction(sum, widths, isAlongTerms);
}

} // namespace plan

std::optional<SumBound> sumBoundOf(Operation *op) {
  Operation *kernel = op->getParentOp();
  plan::KernelSchedule schedule = kernel ? plan::scheduleOf(kernel) : plan::KernelSchedule();
  if (!schedule || op->getNumResults() == 0 ||
      !isa<FloatType>(getElementTypeOrSelf(op->getResult(0).getType()))) {
    return std::nullopt;
  }
  ElementType result = elementTypeOf(getElementTypeOrSelf(op->getResult(0).getType()));
  if (isa<stablehlo::DotGeneralOp, stablehlo::ConvolutionOp>(op)) {
    return schedule.sumBoundOf(op);
  }
  // Each update is rounded to the element type of the result.
  if (auto scatter = dyn_cast<stablehlo::ScatterOp>(op)) {
    return boundOfScatter(scatter, result);
  }
  if (auto selection = dyn_cast<stablehlo::SelectAndScatterOp>(op)) {
    return boundOfSelection(selection, result);
  }
  if (!isa<stablehlo::ReduceOp, stablehlo::ReduceWindowOp>(op)) {
    return std::nullopt;
  }
  if (op->getNumResults() > 1 && addsUpdates(op->getRegion(0))) {
    return boundOfSeveral(op, result);
  }
  if (knownReducer(op->getRegion(0)) != Reducer::Add) {
    return std::nullopt;
  }
  if (auto window = dyn_cast<stablehlo::ReduceWindowOp>(op)) {
    return boundOfWindow(window, sumTypeOf(op));
  }
  std::optional<SumBound> bound = schedule.sumBoundOf(op);
  return bound ? bound : boundOfReduction(op, {});
}

} // namespace drumlin
