#include "drumlin/ir/plan/gemm/GemmPanels.h"

#include "drumlin/ir/indexing/IndexingInterface.h"
#include "drumlin/ir/sizes/SizeSymbols.h"
#include "drumlin/ir/stablehlo/DynamicSliceOp.h"
#include "drumlin/ir/stablehlo/ReshapeOp.h"
#include "drumlin/ir/stablehlo/SliceOp.h"
#include "drumlin/ir/stablehlo/StablehloTypes.h"
#include "drumlin/ir/stablehlo/TransposeOp.h"
#include "drumlin/target/ComputeUnits.h"
#include "mlir/Analysis/FlatLinearValueConstraints.h"

using namespace mlir;

namespace drumlin {

// Whether a unit can read numbers of type `type` from memory without a conversion.
static bool takesAsTheyLie(const GemmProblem &problem, ComputeUnit unit, ElementType type) {
  ElementType out = elementTypeOf(getElementTypeOrSelf(problem.result));
  ElementType taken = info(unit).operands.value_or(problem.sumType);
  bool areIntegers = isInteger(type) && isInteger(taken) && isInteger(out);
  return areIntegers ? info(type).bits == info(taken).bits : type == taken && isFloat(out);
}

// Returns the last dimension of a group with a size other than 1, and whether all other dimensions
// of the group have size 1.
static std::pair<size_t, bool> innermost(ArrayRef<int64_t> dimensions, ArrayRef<int64_t> shape) {
  size_t found = static_cast<size_t>(dimensions.back());
  int64_t many = 0;
  for (int64_t dimension : dimensions) {
    if (shape[static_cast<size_t>(dimension)] != 1) {
      found = static_cast<size_t>(dimension);
      many += 1;
    }
  }
  return {found, many <= 1};
}

std::optional<BlockedLayout> panelLayout(const GemmProblem &problem, GemmOperand operand,
                                         ComputeUnit unit, int64_t width) {
  bool isLhs = operand == GemmOperand::Lhs;
  Value value = problem.value(operand);
  ArrayRef<int64_t> shape = shapeOf(value);
  bool isUnfolded = problem.isConvolution() && (isLhs || problem.batch != 1);
  bool isEmpty = problem.batch * problem.m * problem.n * problem.k == 0;
  if (isUnfolded || isEmpty ||
      !takesAsTheyLie(problem, unit, elementTypeOf(getElementTypeOrSelf(value)))) {
    return std::nullopt;
  }
  // The tensor's dimensions in the order in which the problem traverses them: batch, rows or
  // columns, k.
  ArrayRef<GemmProblem::Role> roles = isLhs ? problem.lhsRoles : problem.rhsRoles;
  std::array<SmallVector<int64_t>, 3> groups;
  auto groupOf = [](const GemmProblem::Role &role) -> size_t {
    return role.group == GemmProblem::Batch ? 0 : role.group == GemmProblem::K ? 2 : 1;
  };
  for (size_t d = 0; d < roles.size(); ++d) {
    groups[groupOf(roles[d])].push_back(static_cast<int64_t>(d));
  }
  for (SmallVector<int64_t> &group : groups) {
    llvm::sort(group, [&](int64_t a, int64_t b) {
      return roles[static_cast<size_t>(a)].position < roles[static_cast<size_t>(b)].position;
    });
  }
  if (groups[1].empty() || groups[2].empty()) {
    return std::nullopt;
  }
  const ComputeUnitInfo &takes = info(unit);
  auto [free, isOnlyFree] = innermost(groups[1], shape);
  auto [depth, isOnlyDepth] = innermost(groups[2], shape);
  bool fillsInstructions = takes.kGroups == 1 || problem.k % (takes.kGroup * takes.kGroups) == 0;
  // If a unit multiplies pairs of k-groups, the two k-groups of a pair are contiguous, in the order
  // that GemmPacking uses.
  int64_t terms = takes.kGroup * (takes.multipliesPairs() ? takes.kGroups : 1);
  if ((!isOnlyFree && shape[free] % width != 0) || (!isOnlyDepth && shape[depth] % terms != 0) ||
      !fillsInstructions) {
    return std::nullopt;
  }
  BlockedLayout layout;
  layout.shape = Shape(shape);
  layout.blocks.assign(shape.size(), 1);
  layout.blocks[free] = width;
  layout.blocks[depth] = terms;
  std::vector<int64_t> places = layout.cutPlaces();
  for (const SmallVector<int64_t> &group : groups) {
    for (int64_t dimension : group) {
      layout.order.push_back(places[static_cast<size_t>(dimension)]);
    }
  }
  for (size_t dimension : {free, depth}) {
    if (layout.blocks[dimension] != 1) {
      layout.order.push_back(places[dimension] + 1);
    }
  }
  return layout;
}

// Returns the map from an index of the tensor to the index in memory.
static IndexingMap mapToMemory(const BlockedLayout &layout, MLIRContext *context) {
  Shape inMemory = layout.physicalShape();
  IndexingBuilder made(layout.shape, inMemory, context);
  std::vector<AffineExpr> cut;
  for (size_t d = 0; d < layout.shape.size(); ++d) {
    int64_t block = layout.blocks[d];
    if (block == 1) {
      cut.push_back(made.dim(d));
    } else {
      cut.push_back(made.dim(d).floorDiv(block));
      cut.push_back(made.dim(d) % block);
    }
  }
  for (size_t i = 0; i < layout.order.size(); ++i) {
    made.at(i) = cut[static_cast<size_t>(layout.order[i])];
  }
  return made.finish();
}

std::optional<GemmPanels> panelsOf(const GemmProblem &problem, GemmOperand operand,
                                   ComputeUnit unit, int64_t width) {
  std::optional<BlockedLayout> layout = panelLayout(problem, operand, unit, width);
  if (!layout) {
    return std::nullopt;
  }
  Value value = problem.value(operand);
  IndexingMap map = IndexingMap::identity(shapeOf(value), value.getContext());
  Operation *op = value.getDefiningOp();
  for (; op && !takesSlab(op); op = value.getDefiningOp()) {
    std::optional<IndexingMap> next = dataMovementIndexing(op);
    if (!next) {
      return std::nullopt;
    }
    map = map.followedBy(*next);
    value = op->getOperand(0);
  }
  Shape inMemory = layout->physicalShape();
  IndexingMap wanted = mapToMemory(*layout, value.getContext());
  if (op) {
    ArrayRef<int64_t> shape = shapeOf(value);
    inMemory.insert(inMemory.begin(), shape.size() - std::min(shape.size(), inMemory.size()), 1);
    wanted = wanted.followedBy(
        IndexingMap::reshape(layout->physicalShape(), inMemory, value.getContext()));
  }
  if (!isa<BlockArgument>(op ? op->getOperand(0) : value) ||
      !llvm::equal(inMemory, shapeOf(value)) || !(map == wanted)) {
    return std::nullopt;
  }
  int64_t rows = operand == GemmOperand::Lhs ? problem.m : problem.n, terms = info(unit).kGroup;
  return GemmPanels{value, (rows + width - 1) / width, (problem.k + terms - 1) / terms};
}

bool takesSlab(Operation *op) {
  auto slice = dyn_cast_if_present<stablehlo::DynamicSliceOp>(op);
  if (!slice || hasSymbolicSizes(slice.getOperand().getType())) {
    return false;
  }
  ArrayRef<int64_t> whole = shapeOf(slice.getOperand()), taken = shapeOf(slice.getResult());
  size_t first = 0;
  while (first < taken.size() && taken[first] == 1) {
    ++first;
  }
  return first > 0 && whole.drop_front(first) == taken.drop_front(first);
}

bool isComputedSlice(Operation *op) { return isa_and_present<stablehlo::DynamicSliceOp>(op); }

bool OperandView::isPure() const {
  auto isUniform = [](const IndexingMap::Symbol &symbol) {
    return symbol.isKnownAtRunTime() && symbol.at.getNumResults() == 0;
  };
  return !map.readsNothing() && map.constraints().empty() && llvm::all_of(map.symbols(), isUniform);
}

OperandView viewOf(const GemmProblem &problem, GemmOperand operand) {
  OperandView view = {problem.value(operand), problem.operandMap(operand)};
  while (Operation *op = view.memory.getDefiningOp()) {
    std::optional<IndexingMap> next =
        isComputedSlice(op) ? indexing(op->getOpOperand(0)) : dataMovementIndexing(op);
    if (!next || !next->holdsAtAllSizes()) {
      break;
    }
    view.map = view.map.followedBy(*next);
    view.memory = op->getOperand(0);
  }
  return view;
}

std::optional<SmallVector<int64_t>> stridesInMemory(const GemmProblem &problem,
                                                    GemmOperand operand) {
  if (problem.isConvolution() && operand == GemmOperand::Lhs) {
    return std::nullopt; // convolution inputs are unfolded
  }
  OperandView view = viewOf(problem, operand);
  if (!isa<BlockArgument>(view.memory) || hasSymbolicSizes(view.memory.getType()) ||
      !view.isPure()) {
    return std::nullopt;
  }
  constexpr unsigned dims = 3;
  auto symbols = static_cast<unsigned>(view.map.symbols().size());
  SmallVector<int64_t> sum; // coefficients of the dimensions and symbols, and the offset
  if (failed(getFlattenedAffineExpr(view.map.position(), dims, symbols, &sum)) ||
      sum.size() != dims + symbols + 1) {
    return std::nullopt;
  }
  sum.truncate(dims);
  return sum;
}

bool liesInRows(const GemmProblem &problem, GemmOperand operand, ComputeUnit unit, int64_t width) {
  ElementType type = elementTypeOf(getElementTypeOrSelf(problem.value(operand)));
  int64_t columns = operand == GemmOperand::Lhs ? problem.m : problem.n;
  if (unit != ComputeUnit::fma || type != problem.sumType ||
      type != elementTypeOf(getElementTypeOrSelf(problem.result)) || columns % width != 0) {
    return false;
  }
  std::optional<SmallVector<int64_t>> strides = stridesInMemory(problem, operand);
  return strides && (*strides)[1] == 1;
}

BlockedLayout stackedLayout(const BlockedLayout &layout, ArrayRef<int64_t> shape) {
  auto before = static_cast<int64_t>(shape.size() - layout.shape.size());
  BlockedLayout stack;
  stack.shape = Shape(shape);
  stack.blocks.assign(static_cast<size_t>(before), 1);
  stack.blocks.insert(stack.blocks.end(), layout.blocks.begin(), layout.blocks.end());
  stack.order = rowMajorOrder(static_cast<size_t>(before));
  for (int64_t place : layout.order) {
    stack.order.push_back(before + place);
  }
  return stack;
}

Value readPanels(OpBuilder &builder, Location loc, Value memory, const BlockedLayout &layout) {
  Value cut =
      stablehlo::TransposeOp::create(builder, loc, memory, inverseOrder(layout.order)).getResult();
  // The shape that consists of complete blocks, including padding.
  Shape cutShape = layout.cutShape(), filled;
  for (auto [place, block] : llvm::zip(layout.cutPlaces(), layout.blocks)) {
    filled.push_back(cutShape[static_cast<size_t>(place)] * block);
  }
  auto type = cast<RankedTensorType>(memory.getType());
  Value whole =
      stablehlo::ReshapeOp::create(builder, loc, type.clone(ArrayRef<int64_t>(filled)), cut);
  if (!layout.hasPadding()) {
    return whole;
  }
  SmallVector<int64_t> starts(filled.size(), 0), steps(filled.size(), 1);
  return stablehlo::SliceOp::create(builder, loc, type.clone(ArrayRef<int64_t>(layout.shape)),
                                    whole, starts, layout.shape, steps);
}

} // namespace drumlin
