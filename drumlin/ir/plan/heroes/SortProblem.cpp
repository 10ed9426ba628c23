#include "drumlin/ir/plan/heroes/SortProblem.h"

#include "drumlin/ir/chlo/ChloOps.h"
#include "drumlin/ir/indexing/LaneForm.h"
#include "drumlin/ir/sizes/SizeSymbols.h"
#include "drumlin/ir/stablehlo/CompareOp.h"
#include "drumlin/ir/stablehlo/ConstantOp.h"
#include "drumlin/ir/stablehlo/SortOp.h"
#include "drumlin/ir/stablehlo/StablehloTypes.h"
#include "llvm/ADT/DenseSet.h"
#include "llvm/Support/MathExtras.h"

using namespace llvm;

namespace drumlin {

// Maximum number of operations of a key; sorts with longer keys call the comparator.
static constexpr size_t maxKeyOperations = 256;

static ElementType typeOf(mlir::Value value) {
  return elementTypeOf(mlir::getElementTypeOrSelf(value.getType()));
}

namespace {
// Checks whether two values in a comparator are results of the same function: one value for the
// left-hand arguments, the other value for the right-hand arguments.
class KeyMatcher {
public:
  explicit KeyMatcher(mlir::Block &block) : block(block) {}

  bool matches(mlir::Value a, mlir::Value b) {
    if (a.getType() != b.getType()) {
      return false;
    }
    if (!seen.insert({a, b}).second) {
      return true;
    }
    if (seen.size() > maxKeyOperations) {
      return false;
    }
    auto argument = dyn_cast<mlir::BlockArgument>(a);
    if (argument && argument.getOwner() == &block) {
      return matchArguments(argument, b);
    }
    mlir::Operation *left = a.getDefiningOp(), *right = b.getDefiningOp();
    if (isa_and_nonnull<stablehlo::ConstantOp>(left) &&
        isa_and_nonnull<stablehlo::ConstantOp>(right)) {
      return left->getAttrDictionary() == right->getAttrDictionary();
    }
    if (!left || left->getBlock() != &block) {
      return a == b;
    }
    if (!right || right->getBlock() != &block || left->getName() != right->getName() ||
        left->getNumOperands() != right->getNumOperands() || left->getNumRegions() != 0 ||
        left->getNumResults() != 1 || left->getAttrDictionary() != right->getAttrDictionary()) {
      return false;
    }
    return all_of(zip(left->getOperands(), right->getOperands()),
                  [&](auto pair) { return matches(std::get<0>(pair), std::get<1>(pair)); });
  }

  // Returns 0 if the first value depends on the left-hand arguments, 1 if it depends on the
  // right-hand arguments.
  std::optional<unsigned> firstSide() const { return side; }

private:
  bool matchArguments(mlir::BlockArgument a, mlir::Value b) {
    auto other = dyn_cast<mlir::BlockArgument>(b);
    // Arguments are (lhs 0, rhs 0, lhs 1, rhs 1, ...).
    if (!other || other.getOwner() != &block || (a.getArgNumber() ^ 1) != other.getArgNumber()) {
      return false;
    }
    if (!side) {
      side = a.getArgNumber() & 1;
    }
    return *side == (a.getArgNumber() & 1);
  }

  mlir::Block &block;
  DenseSet<std::pair<mlir::Value, mlir::Value>> seen;
  std::optional<unsigned> side;
};
} // namespace

std::optional<SortKey> sortKeyOf(stablehlo::SortOp sort) {
  mlir::Block &block = sort.getComparator().front();
  auto compare = block.getTerminator()->getOperand(0).getDefiningOp<stablehlo::CompareOp>();
  if (!compare || compare->getBlock() != &block) {
    return std::nullopt;
  }
  using Direction = stablehlo::ComparisonDirection;
  Direction direction = compare.getComparisonDirection();
  if (direction != Direction::LT && direction != Direction::GT) {
    return std::nullopt;
  }
  KeyMatcher matcher(block);
  if (!matcher.matches(compare.getLhs(), compare.getRhs()) || !matcher.firstSide()) {
    return std::nullopt;
  }
  SortKey key;
  key.program = compare.getLhs();
  key.type = typeOf(compare.getLhs());
  key.total = compare.getCompareType() &&
              *compare.getCompareType() == stablehlo::ComparisonType::TOTALORDER;
  // `rhs > lhs` is equivalent to `lhs < rhs`.
  key.descending = (direction == Direction::GT) != (*matcher.firstSide() == 1);
  return key;
}

SortProblem::SortProblem(mlir::Block &region) {
  for (mlir::Operation &each : region) {
    if (isa<stablehlo::SortOp, chlo::TopKOp>(each)) {
      op = &each;
    }
  }
  if (!op) {
    return;
  }
  std::vector<Size> sizes = sizesOf(cast<mlir::RankedTensorType>(op->getOperand(0).getType()));
  size_t dimension = sizes.size() - 1;
  if (auto sort = dyn_cast<stablehlo::SortOp>(op)) {
    dimension = static_cast<size_t>(sort.dimensionFromFront());
    key = sortKeyOf(sort);
  } else {
    kept = static_cast<int64_t>(cast<chlo::TopKOp>(op).getK());
  }
  length = sizes[dimension];
  for (size_t i = 0; i < sizes.size(); ++i) {
    rows = i == dimension ? rows : rows * sizes[i];
    stride = i > dimension ? stride * sizes[i] : stride;
  }
}

bool SortProblem::isTopK() const { return isa<chlo::TopKOp>(op); }

unsigned keyBits(ElementType type) {
  if (type == ElementType::F64) {
    return 64;
  }
  if (isFloat(type)) {
    // Elements of formats with at most 8 bits are converted to their compute type before they are
    // ordered, because the conversion handles their special bit patterns.
    return type == ElementType::BF16 || type == ElementType::F16 ? 16 : 32;
  }
  return std::max(info(type).bits, 8u);
}

bool isNarrowCount(const SizeExpression &count) {
  auto [low, high] =
      count.range([](std::string_view) { return SizeExpression::Range(0, maxSymbolValue); });
  return high <= std::numeric_limits<uint32_t>::max();
}

std::optional<ElementType> SortProblem::keyType() const {
  if (isTopK()) {
    return typeOf(op->getOperand(0));
  }
  return key ? std::optional(key->type) : std::nullopt;
}

bool SortProblem::hasNarrowWords() const {
  std::optional<ElementType> type = keyType();
  return type && keyBits(*type) <= 32 && isNarrowCount(length.expression());
}

Size tasksOf(plan::SortScheduleAttr schedule, const SortProblem &problem) {
  bool isEmpty = problem.length.is(0) || (problem.isTopK() && problem.kept == 0);
  return isEmpty ? 0 : problem.rows.ceilQuotient(schedule.getTile());
}

std::string findScheduleFault(plan::SortScheduleAttr schedule, const SortProblem &problem) {
  if (schedule.getTile() < 1) {
    return "a task has at least one row";
  }
  bool selects = schedule.getAlgorithm() == plan::SortAlgorithm::select;
  if (!selects && schedule.getCandidates() != 0) {
    return "only `select` keeps candidates";
  }
  switch (schedule.getAlgorithm()) {
  case plan::SortAlgorithm::radix:
    return problem.isTopK() || problem.key ? "" : "its comparator doesn't compare keys";
  case plan::SortAlgorithm::merge:
    return problem.isTopK() ? "`merge` needs a comparator, which top_k lacks" : "";
  case plan::SortAlgorithm::minima:
    return !problem.isTopK()          ? "only top_k keeps some elements of a row"
           : problem.hasNarrowWords() ? ""
                                      : "its keys and positions don't fit in words of 64 bits";
  case plan::SortAlgorithm::select:
    if (!problem.isTopK()) {
      return "only top_k keeps some elements of a row";
    }
    bool isFit = schedule.getCandidates() % lanes == 0 &&
                 schedule.getCandidates() >= problem.kept + lanes &&
                 schedule.getCandidates() <= problem.length.nominal;
    return isFit ? ""
                 : "`candidates` must be a multiple of " + std::to_string(lanes) +
                       ", at least k plus this number and at most the length of a row";
  }
  llvm_unreachable("every algorithm is handled above");
}

std::string plan::SortScheduleAttr::findFault(mlir::Operation *kernel) const {
  return findScheduleFault(*this, SortProblem(kernel->getRegion(0).front()));
}

} // namespace drumlin
