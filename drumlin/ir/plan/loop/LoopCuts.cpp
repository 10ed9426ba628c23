#include "drumlin/ir/plan/loop/LoopCuts.h"

#include "drumlin/ir/plan/loop/LoopReads.h"
#include "drumlin/ir/sizes/SizeSymbols.h"
#include "llvm/ADT/DenseSet.h"

#include <set>

using namespace mlir;

namespace drumlin {

// Maximum number of ranges into which cuts divide the results, and maximum number of operations in
// the code of all ranges. Beyond these limits, compiling this code takes longer than evaluating the
// conditions that cuts remove.
static constexpr int64_t maxOperations = 256;

// Returns the dimension and the offset of an expression `dimension + offset`.
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
// The conditions under which a group's results read their operands.
struct Conditions {
  std::vector<std::set<int64_t>> positions; // positions at which conditions change, by dimension
  int64_t everywhere = 0;                   // number of operations whose results are always read
  int64_t operations = 0;
};
} // namespace

static Conditions conditionsOf(const LoopGroup &group) {
  Conditions found;
  found.positions.resize(group.shape.size());
  found.operations = static_cast<int64_t>(group.slice.size());
  llvm::DenseSet<Operation *> readEverywhere;
  auto note = [&](const IndexingMap::Constraint &constraint, const IndexingMap &way) {
    // Cuts cannot remove some masks. For example, the mask for an interior padding of 1 excludes
    // every other position. Such masks also exclude the positions beyond the edges.
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
    // Cuts divide a flat traversal into ranges of row-major positions.
    return llvm::all_of(ArrayRef(group.shape).take_front(static_cast<size_t>(dimension)),
                        [](int64_t size) { return size == 1; });
  }
  // If a group has row reductions, outer dimensions cannot have cuts, because the code that
  // computes the reductions of a row isn't divided. If rows are kept in memory, no dimension can
  // have cuts, because these rows are read in full vectors from their beginning.
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
  // The last dimension is cut first, because conditions on it need lane masks.
  for (size_t d = group.shape.size(); d-- > 0;) {
    const std::set<int64_t> &positions = conditions.positions[d];
    int64_t made = parts * (static_cast<int64_t>(positions.size()) + 1);
    int64_t operations = made * conditions.everywhere + conditions.operations;
    auto dimension = static_cast<int64_t>(d);
    if (positions.empty() || made > maxLoopParts || operations > maxOperations ||
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
