#include "drumlin/ir/plan/loop/LoopCuts.h"

#include "drumlin/ir/plan/loop/LoopReads.h"
#include "drumlin/ir/sizes/SizeSymbols.h"
#include "llvm/ADT/DenseSet.h"

#include <set>

using namespace mlir;

namespace drumlin {

// More parts than these, or more operations in all of them, take longer to compile than their
// conditions take to compute.
static constexpr int64_t maxParts = 32, maxOperations = 256;

// expression = dimension + offset.
static std::optional<std::pair<int64_t, int64_t>> shiftedDimension(AffineExpr expression) {
  int64_t offset = 0;
  if (auto sum = dyn_cast<AffineBinaryOpExpr>(expression);
      sum && sum.getKind() == AffineExprKind::Add) {
    auto constant = dyn_cast<AffineConstantExpr>(sum.getRHS());
    if (!constant) {
      return std::nullopt;
    }
    offset = constant.getValue();
    expression = sum.getLHS();
  }
  auto dimension = dyn_cast<AffineDimExpr>(expression);
  return dimension ? std::optional(std::pair<int64_t, int64_t>(dimension.getPosition(), offset))
                   : std::nullopt;
}

namespace {
// The conditions of what a group's results read.
struct Conditions {
  std::vector<std::set<int64_t>> positions; // of each dimension
  int64_t everywhere = 0;                   // operations whose results are read without conditions
  int64_t operations = 0;
};
} // namespace

static Conditions conditionsOf(const LoopGroup &group) {
  Conditions found;
  found.positions.resize(group.shape.size());
  found.operations = static_cast<int64_t>(group.slice.size());
  llvm::DenseSet<Operation *> readEverywhere;
  auto note = [&](const IndexingMap::Constraint &constraint, const IndexingMap &way) {
    // Masks that stay, as every other position of interior padding takes them, have the edges.
    auto isMasked = [&](int64_t dimension) {
      return llvm::any_of(way.constraints(), [&](const IndexingMap::Constraint &other) {
        return !shiftedDimension(other.expression) &&
               other.expression.isFunctionOfDim(static_cast<unsigned>(dimension));
      });
    };
    auto shifted = shiftedDimension(constraint.expression);
    if (shifted && !isMasked(shifted->first)) {
      auto [dimension, offset] = *shifted;
      int64_t size = group.shape[static_cast<size_t>(dimension)];
      for (int64_t position : {constraint.low - offset, constraint.high + 1 - offset}) {
        if (position > 0 && position < size) {
          found.positions[static_cast<size_t>(dimension)].insert(position);
        }
      }
    }
  };
  followReads(
      group, [](Value) { return true; },
      [&](Value value, const IndexingMap *way) {
        if (way && way->constraints().empty()) {
          readEverywhere.insert(value.getDefiningOp());
        } else if (way) {
          llvm::for_each(way->constraints(), [&](const auto &each) { note(each, *way); });
        }
        return true;
      });
  found.everywhere =
      llvm::count_if(group.slice, [&](Operation *op) { return readEverywhere.contains(op); });
  return found;
}

bool canCut(plan::TraversalKind kind, const LoopGroup &group, int64_t dimension) {
  auto last = static_cast<int64_t>(group.shape.size()) - 1;
  if (kind == plan::TraversalKind::flat) {
    // Ranges of positions.
    return llvm::all_of(ArrayRef(group.shape).take_front(static_cast<size_t>(dimension)),
                        [](int64_t size) { return size == 1; });
  }
  // Reductions of a row are computed before its parts are told apart, so that outer dimensions
  // aren't cut then; rows that are kept in memory are read by whole vectors from their beginning.
  return kind == plan::TraversalKind::rows && keptInRows(group).empty() &&
         (dimension == last || rowReductions(group).empty());
}

std::vector<LoopCut> chooseCuts(plan::TraversalKind kind, const LoopGroup &group) {
  auto isSized = [](Operation *op) {
    return llvm::any_of(op->getOperandTypes(), hasSymbolicSizes) ||
           llvm::any_of(op->getResultTypes(), hasSymbolicSizes);
  };
  bool isCuttable = kind == plan::TraversalKind::flat || kind == plan::TraversalKind::rows;
  if (!isCuttable || group.slice.empty() || llvm::any_of(group.slice, isSized)) {
    return {};
  }
  Conditions conditions = conditionsOf(group);
  std::vector<LoopCut> cuts;
  int64_t parts = 1;
  // The last dimension first: its conditions are masks of lanes.
  for (size_t d = group.shape.size(); d-- > 0;) {
    const std::set<int64_t> &positions = conditions.positions[d];
    int64_t made = parts * (static_cast<int64_t>(positions.size()) + 1);
    int64_t operations = made * conditions.everywhere + conditions.operations;
    auto dimension = static_cast<int64_t>(d);
    if (positions.empty() || made > maxParts || operations > maxOperations ||
        !canCut(kind, group, dimension)) {
      continue;
    }
    parts = made;
    for (int64_t position : positions) {
      cuts.push_back({dimension, position});
    }
  }
  llvm::sort(cuts);
  return cuts;
}

SmallVector<CutRange> cutRanges(ArrayRef<LoopCut> cuts, int64_t dimension, int64_t size) {
  SmallVector<CutRange> ranges = {{0, size}};
  for (const LoopCut &cut : cuts) {
    if (cut.dimension == dimension) {
      ranges.back().end = cut.position;
      ranges.push_back({cut.position, size});
    }
  }
  return ranges;
}

} // namespace drumlin
