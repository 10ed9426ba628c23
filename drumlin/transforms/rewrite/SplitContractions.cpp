// Splits dots of few rows and columns with long contracting dimensions: each becomes a batch of
// dots over parts of the contracting dimension, and a sum of the parts' results. Without the split,
// threads could share only one or two result tiles.
#include "drumlin/ir/stablehlo/ProductRoles.h"
#include "drumlin/transforms/PassTarget.h"
#include "drumlin/transforms/Reasons.h"
#include "drumlin/transforms/Rules.h"
#include "drumlin/transforms/rewrite/Passes.h"

#include "drumlin/ir/sizes/SizeSymbols.h"
#include "drumlin/ir/stablehlo/AddOp.h"
#include "drumlin/ir/stablehlo/ConstantOp.h"
#include "drumlin/ir/stablehlo/ConvertOp.h"
#include "drumlin/ir/stablehlo/DotGeneralOp.h"
#include "drumlin/ir/stablehlo/ReduceOp.h"
#include "drumlin/ir/stablehlo/ReshapeOp.h"
#include "drumlin/ir/stablehlo/ReturnOp.h"
#include "drumlin/ir/stablehlo/StablehloTypes.h"
#include "drumlin/support/Cost.h"
#include "drumlin/transforms/gemm/GemmChoice.h"

using namespace mlir;

namespace drumlin {

#define GEN_PASS_DEF_SPLITCONTRACTIONSPASS
#include "drumlin/transforms/rewrite/Passes.h.inc"

// Dots are split until a kernel has about this many work items.
static constexpr int64_t enoughTasks = 16;
// Minimum multiply-accumulates and k elements per part. With fewer, adding up the parts would take
// too large a share of the time.
static constexpr int64_t leastProducts = 1024 * 1024, leastTerms = 512;
// Minimum ratio of k elements to rows or columns. A layer of few rows, whose weights are the larger
// operand, has a lower ratio; it reads its weights best in their own layout.
static constexpr int64_t leastRatio = 32;

namespace {
// The number of parts of a dot, and the contracting dimension that is split.
struct Split {
  int64_t wanted = 1, parts = 1;
  size_t dimension = 0; // index among the contracting dimensions
};
} // namespace

// Returns the type in which parts are added up, which is as wide as the dot's accumulators. Returns
// nothing for types whose dots aren't split.
static std::optional<Type> typeOfParts(stablehlo::DotGeneralOp dot) {
  auto elementOf = [](Value value) -> std::optional<ElementType> {
    auto type = dyn_cast<RankedTensorType>(value.getType());
    bool isPlain = type && type.hasStaticShape() && type.getElementType().isIntOrFloat();
    return isPlain ? std::optional(elementTypeOf(type.getElementType())) : std::nullopt;
  };
  std::optional<ElementType> lhs = elementOf(dot.getLhs()), rhs = elementOf(dot.getRhs()),
                             out = elementOf(dot.getResult());
  auto isOdd = [](std::optional<ElementType> type) {
    return !type || isBoolean(*type) || info(*type).specials == FloatSpecials::ScaleOnly;
  };
  if (isOdd(lhs) || isOdd(rhs) || isOdd(out) || dot.getAlgorithm() ||
      isFloat(*lhs) != isFloat(*out) || isFloat(*rhs) != isFloat(*out)) {
    return std::nullopt;
  }
  Type type = getElementTypeOrSelf(dot.getResult());
  return isFloat(*out) && *out != ElementType::F64 ? Float32Type::get(dot.getContext()) : type;
}

static Split splitOf(stablehlo::DotGeneralOp dot, const CpuTarget &target, Numerics numerics) {
  GemmProblem problem(dot);
  int64_t products = 1;
  for (int64_t size : {problem.batch, problem.m, problem.n, problem.k}) {
    products = multiplySaturating(products, size);
  }
  Split split;
  // A dynamic size can't be split into equal parts.
  bool isSized =
      hasSymbolicSizes(dot.getLhs().getType()) || hasSymbolicSizes(dot.getRhs().getType());
  if (isSized || products < 2 * leastProducts || problem.k < 2 * leastTerms ||
      problem.k / leastRatio < std::max(problem.m, problem.n)) {
    return split;
  }
  AssumedOrders orders;
  orders.lhs.alongK = orders.rhs.alongFree = orders.resultsAlongN = true;
  GemmChoice choice(dot, orders, target, numerics);
  const GemmSchedule schedule = choice.alternatives().front().schedule;
  if (schedule.itemDepth != 0) { // the kernel's items divide the contracting dimension
    return split;
  }
  int64_t tasks = choice.tilesOf(schedule).tasks.nominal;
  split.wanted = std::min({enoughTasks / std::max<int64_t>(tasks, 1), products / leastProducts,
                           problem.k / leastTerms});
  stablehlo::ProductRoles roles(dot);
  ArrayRef<int64_t> shape = shapeOf(dot.getLhs());
  for (auto [number, dimension] : llvm::enumerate(roles.lhs().contracting)) {
    for (int64_t parts = split.wanted; parts > split.parts; --parts) {
      if (shape[static_cast<size_t>(dimension)] % parts == 0) {
        split.parts = parts;
        split.dimension = number;
      }
    }
  }
  return split;
}

// Reshapes the operand to split one dimension in two.
static Value cut(OpBuilder &builder, Location loc, Value operand, int64_t dimension,
                 int64_t parts) {
  auto type = cast<RankedTensorType>(operand.getType());
  SmallVector<int64_t> shape(type.getShape());
  shape[static_cast<size_t>(dimension)] /= parts;
  shape.insert(shape.begin() + dimension, parts);
  return stablehlo::ReshapeOp::create(builder, loc, type.clone(shape), operand);
}

// Renumbers dimensions after one of them was split in two. The second of the two new dimensions
// keeps the role of the split dimension.
static SmallVector<int64_t> renumbered(ArrayRef<int64_t> dimensions, int64_t cutOne) {
  SmallVector<int64_t> made;
  for (int64_t dimension : dimensions) {
    made.push_back(dimension < cutOne ? dimension : dimension + 1);
  }
  return made;
}

static Value sumOver(OpBuilder &builder, Location loc, Value parts, int64_t dimension) {
  auto type = cast<RankedTensorType>(parts.getType());
  auto scalar = RankedTensorType::get({}, type.getElementType());
  Value zero = stablehlo::ConstantOp::create(
      builder, loc, DenseElementsAttr::get(scalar, builder.getZeroAttr(type.getElementType())));
  SmallVector<int64_t> shape(type.getShape());
  shape.erase(shape.begin() + dimension);
  auto sum =
      stablehlo::ReduceOp::create(builder, loc, TypeRange(type.clone(shape)), ValueRange(parts),
                                  ValueRange(zero), builder.getDenseI64ArrayAttr({dimension}));
  Block &body = sum.getBody().emplaceBlock();
  Value x = body.addArgument(scalar, loc), y = body.addArgument(scalar, loc);
  OpBuilder inside = OpBuilder::atBlockEnd(&body);
  Value added = stablehlo::AddOp::create(inside, loc, x, y);
  stablehlo::ReturnOp::create(inside, loc, added);
  return sum->getResult(0);
}

static void apply(stablehlo::DotGeneralOp dot, const Split &split, Type typeOfParts) {
  OpBuilder builder(dot);
  Location loc = dot.getLoc();
  stablehlo::ProductRoles roles(dot);
  int64_t left = roles.lhs().contracting[split.dimension];
  int64_t right = roles.rhs().contracting[split.dimension];
  Value lhs = cut(builder, loc, dot.getLhs(), left, split.parts);
  Value rhs = cut(builder, loc, dot.getRhs(), right, split.parts);
  auto batching = [&](ArrayRef<int64_t> dimensions, int64_t cutOne) {
    SmallVector<int64_t> made = renumbered(dimensions, cutOne);
    made.push_back(cutOne);
    return made;
  };
  auto made = stablehlo::DotDimensionNumbersAttr::get(
      dot.getContext(), batching(roles.lhs().batch, left), batching(roles.rhs().batch, right),
      renumbered(roles.lhs().contracting, left), renumbered(roles.rhs().contracting, right));
  auto type = cast<RankedTensorType>(dot.getResult().getType());
  auto place = static_cast<int64_t>(roles.batchCount());
  SmallVector<int64_t> shape(type.getShape());
  shape.insert(shape.begin() + place, split.parts);
  auto parts =
      stablehlo::DotGeneralOp::create(builder, loc, RankedTensorType::get(shape, typeOfParts), lhs,
                                      rhs, made, dot.getPrecisionConfigAttr(), nullptr);
  parts->setDiscardableAttrs(dot->getDiscardableAttrDictionary());
  Value sum = sumOver(builder, loc, parts, place);
  if (typeOfParts != type.getElementType()) {
    sum = stablehlo::ConvertOp::create(builder, loc, sum, type.getElementType());
  }
  dot.replaceAllUsesWith(sum);
  dot.erase();
}

struct SplitContractionsPass : impl::SplitContractionsPassBase<SplitContractionsPass> {
  using impl::SplitContractionsPassBase<SplitContractionsPass>::SplitContractionsPassBase;
  SplitContractionsPass(Ledger &ledger, const CpuTarget &target, Numerics numerics)
      : ledger(&ledger), target(target), numerics(numerics) {}

  void runOnOperation() override {
    if (!takeTarget(target, getOperation(), targetName)) {
      return signalPassFailure();
    }
    Ledger own;
    SmallVector<stablehlo::DotGeneralOp> dots;
    getOperation().walk([&](stablehlo::DotGeneralOp dot) { dots.push_back(dot); });
    for (stablehlo::DotGeneralOp dot : dots) {
      visit(dot, ledger ? *ledger : own);
    }
  }

private:
  void visit(stablehlo::DotGeneralOp dot, Ledger &into) {
    std::optional<Type> parts = typeOfParts(dot);
    Split split = parts ? splitOf(dot, *target, numerics) : Split();
    if (split.wanted < 2) {
      return;
    }
    Decision decision = Decision::declined(Reason::NoEvenParts);
    if (split.parts > 1) {
      decision = Decision::taken();
      decision.remedy = std::to_string(split.parts) + " parts, added up in order";
    }
    if (into.recordUnlessOff(Rule::SplitContraction, dot, decision).isTaken()) {
      apply(dot, split, *parts);
    }
  }

  Ledger *ledger = nullptr;
  std::optional<CpuTarget> target;
  Numerics numerics = Numerics::Default;
};

std::unique_ptr<Pass> createSplitContractionsPass(Ledger &ledger, const CpuTarget &target,
                                                  Numerics numerics) {
  return std::make_unique<SplitContractionsPass>(ledger, target, numerics);
}

} // namespace drumlin
