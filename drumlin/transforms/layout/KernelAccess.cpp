#include "drumlin/transforms/layout/KernelAccess.h"

#include "drumlin/ir/indexing/IndexingInterface.h"
#include "drumlin/ir/plan/OperationClasses.h"
#include "drumlin/ir/stablehlo/ConvertOp.h"
#include "drumlin/ir/stablehlo/ConvolutionOp.h"
#include "drumlin/ir/stablehlo/DotGeneralOp.h"
#include "drumlin/ir/stablehlo/DynamicUpdateSliceOp.h"
#include "drumlin/ir/stablehlo/ReduceWindowOp.h"
#include "llvm/ADT/DenseSet.h"

using namespace mlir;

namespace drumlin {

// See InputAccess::follows.
using Follows = std::vector<int64_t>;

// One way in which a traversal reads a value.
struct Path {
  IndexingMap map; // maps the traversal's index to the value's index
  Follows follows;
  bool isPartial = false;
};
// If a kernel reads a value in more ways than this, the other ways are ignored. They don't change
// decisions.
static constexpr size_t maxAccesses = 4;

DimensionOrder alongDepth(const stablehlo::ProductRoles::Operand &roles) {
  DimensionOrder order;
  llvm::append_range(order,
                     llvm::concat<const int64_t>(roles.batch, roles.free, roles.contracting));
  return order;
}

DimensionOrder alongFree(const stablehlo::ProductRoles::Operand &roles) {
  DimensionOrder order;
  llvm::append_range(order,
                     llvm::concat<const int64_t>(roles.batch, roles.contracting, roles.free));
  return order;
}

int64_t fastestDimension(std::span<const int64_t> shape, std::span<const int64_t> order) {
  for (size_t i = order.size(); i-- > 0;) {
    if (shape[static_cast<size_t>(order[i])] != 1) {
      return order[i];
    }
  }
  return -1;
}

//===- one traversal ---------------------------------------------------------------------===//

namespace {
// The traversal dimension that moves an index by the shortest steps, and the length of these steps.
// Ignores dimensions of which the index depends only on a quotient.
struct Steps {
  int64_t dimension = InputAccess::none, length = 0;
  bool hasRange = false; // the index depends on a symbol, which takes all values of its range

  Steps(const IndexingMap &map, AffineExpr index) { visit(map, index, 1); }

private:
  void visit(const IndexingMap &map, AffineExpr index, int64_t factor) {
    if (auto dim = dyn_cast<AffineDimExpr>(index)) {
      take(dim.getPosition(), std::abs(factor));
    } else if (auto symbol = dyn_cast<AffineSymbolExpr>(index)) {
      hasRange |= !map.symbols()[symbol.getPosition()].isKnownAtRunTime();
    } else if (auto binary = dyn_cast<AffineBinaryOpExpr>(index)) {
      if (index.getKind() == AffineExprKind::Add) {
        visit(map, binary.getLHS(), factor);
        visit(map, binary.getRHS(), factor);
      } else if (index.getKind() == AffineExprKind::Mul) {
        visit(map, binary.getLHS(), factor * cast<AffineConstantExpr>(binary.getRHS()).getValue());
      } else if (index.getKind() == AffineExprKind::Mod) {
        visit(map, binary.getLHS(), factor);
      }
    }
  }

  void take(unsigned candidate, int64_t steps) {
    if (length == 0 || steps < length) {
      dimension = candidate;
      length = steps;
    }
  }
};
} // namespace

// Returns whether the complete traversal leaves out elements along an operand's dimension.
static bool takesPart(const IndexingMap &map, size_t operandDimension, const Steps &steps) {
  int64_t size = map.operandSizes()[operandDimension];
  AffineExpr index = map.map().getResult(static_cast<unsigned>(operandDimension));
  auto isWhole = [&](const IndexingMap::Constraint &each) {
    return each.expression == index && each.low <= 0 && each.high >= size - 1;
  };
  if (size <= 1 || llvm::any_of(map.constraints(), isWhole)) {
    return false;
  }
  bool isLoaded = llvm::any_of(llvm::enumerate(map.symbols()), [&](auto symbol) {
    return symbol.value().isKnownAtRunTime() &&
           index.isFunctionOfSymbol(static_cast<unsigned>(symbol.index()));
  });
  auto [low, high] = map.range(index);
  return isLoaded || low > 0 || high < size - 1 || steps.length > 1;
}

static Path pathOf(IndexingMap map) {
  Path path{std::move(map), {}, false};
  for (auto [d, index] : llvm::enumerate(path.map.map().getResults())) {
    Steps steps(path.map, index);
    bool isAll = steps.length == 0 && steps.hasRange;
    path.follows.push_back(isAll ? InputAccess::all : steps.dimension);
    path.isPartial |= takesPart(path.map, d, steps);
  }
  return path;
}

namespace {
// Follows one traversal from the traversed value back to the kernel's inputs, stopping at the hero.
class WalkTrace {
public:
  WalkTrace(Operation *hero, Value seed) : hero(hero) {
    add(seed, pathOf(IndexingMap::identity(shapeOf(seed), seed.getContext())));
  }

  void run(Block &block) {
    for (Operation &op : llvm::reverse(block.without_terminator())) {
      if (&op == hero) {
        continue;
      }
      for (OpResult result : op.getResults()) {
        for (const Path &at : SmallVector<Path>(found.lookup(result))) {
          for (OpOperand &operand : op.getOpOperands()) {
            if (auto map = indexing(operand, result.getResultNumber())) {
              add(operand.get(), map->isIdentity() ? at : pathOf(at.map.followedBy(*map)));
            }
          }
        }
      }
    }
  }

  ArrayRef<Path> of(Value value) const {
    auto at = found.find(value);
    return at == found.end() ? ArrayRef<Path>() : ArrayRef<Path>(at->second);
  }

private:
  void add(Value value, Path path) {
    SmallVector<Path> &known = found[value];
    bool isKnown = llvm::any_of(known, [&](const Path &each) {
      return each.follows == path.follows && each.isPartial == path.isPartial;
    });
    if (known.size() < maxAccesses && !isKnown && !path.map.readsNothing()) {
      known.push_back(std::move(path));
    }
  }

  Operation *hero;
  DenseMap<Value, SmallVector<Path>> found;
};
} // namespace

//===- kernels ----------------------------------------------------------------------===//

static bool isPermutation(ArrayRef<int64_t> input, const Follows &follows,
                          std::span<const int64_t> traversal) {
  llvm::SmallDenseSet<int64_t> seen;
  for (auto [i, dimension] : llvm::enumerate(follows)) {
    if (input[i] == 1) {
      continue;
    }
    if (dimension < 0 || traversal[static_cast<size_t>(dimension)] != input[i] ||
        !seen.insert(dimension).second) {
      return false;
    }
  }
  return static_cast<int64_t>(seen.size()) ==
         llvm::count_if(traversal, [](int64_t size) { return size != 1; });
}

// Marks the arguments that the value is computed from.
static void markSources(Value value, std::vector<bool> &marks) {
  SmallVector<Value> worklist = {value};
  llvm::SmallDenseSet<Value> seen;
  while (!worklist.empty()) {
    Value current = worklist.pop_back_val();
    if (!seen.insert(current).second) {
      continue;
    }
    if (auto argument = dyn_cast<BlockArgument>(current)) {
      marks[argument.getArgNumber()] = true;
    } else {
      llvm::append_range(worklist, current.getDefiningOp()->getOperands());
    }
  }
}

// Returns whether the operation addresses elements by position: updates of slices in place, and
// prefix sums.
static bool isPositional(Operation &op) {
  return isa<stablehlo::DynamicUpdateSliceOp, stablehlo::ReduceWindowOp>(op);
}

KernelAccess accessOf(Operation *kernel) {
  Block &block = kernel->getRegion(0).front();
  KernelAccess access;
  plan::KernelKind kind = *plan::kernelKindOf(kernel);
  bool isFree = kind == plan::KernelKind::loop || kind == plan::KernelKind::gemm;
  bool hasPositional = llvm::any_of(block, isPositional);
  access.rowMajorInputs.assign(block.getNumArguments(), !isFree);
  access.rowMajorOutputs.assign(kernel->getNumResults(), !isFree || hasPositional);
  if (!isFree) {
    return access;
  }
  for (Operation &op : block) {
    if (isPositional(op)) {
      markSources(op.getOperand(0), access.rowMajorInputs);
    }
  }
  access.hero = kind == plan::KernelKind::gemm ? contractionOf(block) : nullptr;
  if (isa_and_nonnull<stablehlo::ConvolutionOp>(access.hero)) {
    llvm::for_each(access.hero->getOperands(),
                   [&](Value operand) { markSources(operand, access.rowMajorInputs); });
    access.rowMajorOutputs.assign(kernel->getNumResults(), true);
  }
  auto follow = [&](KernelTraversal traversal, Value seed) {
    WalkTrace trace(access.hero, seed);
    trace.run(block);
    if (access.hero) {
      for (const Path &path : trace.of(access.hero->getResult(0)).take_front()) {
        traversal.heroDimensions = path.follows;
      }
    }
    for (BlockArgument argument : block.getArguments()) {
      for (const Path &path : trace.of(argument)) {
        access.inputs.push_back({argument.getArgNumber(), access.traversals.size(), path.follows,
                                 path.isPartial,
                                 isPermutation(shapeOf(argument), path.follows, traversal.shape)});
      }
    }
    access.traversals.push_back(std::move(traversal));
  };
  for (OpOperand &output : block.getTerminator()->getOpOperands()) {
    KernelTraversal traversal;
    traversal.output = output.getOperandNumber();
    traversal.shape = Shape(shapeOf(output.get()));
    follow(std::move(traversal), output.get());
  }
  if (auto dot = dyn_cast_or_null<stablehlo::DotGeneralOp>(access.hero)) {
    access.roles.emplace(dot);
    KernelTraversal lhs, rhs;
    lhs.kind = KernelTraversal::Lhs;
    lhs.shape = Shape(shapeOf(dot.getLhs()));
    rhs.kind = KernelTraversal::Rhs;
    rhs.shape = Shape(shapeOf(dot.getRhs()));
    follow(std::move(lhs), dot.getLhs());
    follow(std::move(rhs), dot.getRhs());
  }
  return access;
}

DimensionOrder singlesFirst(std::span<const int64_t> shape) {
  DimensionOrder order;
  for (size_t i = 0; i < shape.size(); ++i) {
    if (shape[i] == 1) {
      order.push_back(static_cast<int64_t>(i));
    }
  }
  return order;
}

std::optional<DimensionOrder> traversalOrder(const KernelAccess &access, const InputAccess &input,
                                             std::span<const int64_t> inputOrder,
                                             std::span<const int64_t> inputShape) {
  if (!input.isPermutation) {
    return std::nullopt;
  }
  DimensionOrder order = singlesFirst(access.traversals[input.traversal].shape);
  for (int64_t dimension : inputOrder) {
    if (inputShape[static_cast<size_t>(dimension)] != 1) {
      order.push_back(input.follows[static_cast<size_t>(dimension)]);
    }
  }
  return order;
}

std::optional<DimensionOrder> inputOrder(const KernelAccess &access, const InputAccess &input,
                                         std::span<const int64_t> traversalOrder,
                                         std::span<const int64_t> inputShape) {
  if (!input.isPermutation) {
    return std::nullopt;
  }
  const Shape &shape = access.traversals[input.traversal].shape;
  DimensionOrder order = singlesFirst(inputShape);
  for (int64_t dimension : traversalOrder) {
    if (shape[static_cast<size_t>(dimension)] != 1) {
      auto found = std::ranges::find(input.follows, dimension);
      while (inputShape[static_cast<size_t>(found - input.follows.begin())] == 1) {
        found = std::find(found + 1, input.follows.end(), dimension);
      }
      order.push_back(found - input.follows.begin());
    }
  }
  return order;
}

std::optional<StridedView> operandView(const KernelAccess &access, const InputAccess &input,
                                       std::span<const int64_t> inputOrder,
                                       std::span<const int64_t> inputShape) {
  KernelTraversal::Kind kind = access.traversals[input.traversal].kind;
  if (!access.isDot() || kind == KernelTraversal::Output) {
    return std::nullopt;
  }
  Value value = access.hero->getOperand(kind == KernelTraversal::Lhs ? 0 : 1);
  SmallVector<Operation *> moves;
  while (Operation *op = value.getDefiningOp()) {
    bool isMove = dataMovementIndexing(op).has_value();
    if (!isMove && !isa<stablehlo::ConvertOp>(op)) {
      return std::nullopt;
    }
    if (isMove) {
      moves.push_back(op);
    }
    value = op->getOperand(0);
  }
  if (cast<BlockArgument>(value).getArgNumber() != input.input) {
    return std::nullopt;
  }
  std::optional<StridedView> view =
      viewInOrder(ArrayRef<int64_t>(inputShape.data(), inputShape.size()),
                  ArrayRef<int64_t>(inputOrder.data(), inputOrder.size()));
  for (Operation *move : llvm::reverse(moves)) {
    view = view ? viewThrough(*dataMovementIndexing(move), *view) : std::nullopt;
  }
  return view;
}

std::optional<DimensionOrder> matrixOrder(const KernelAccess &access, const InputAccess &input,
                                          std::span<const int64_t> operandOrder,
                                          std::span<const int64_t> inputShape) {
  // The input's row-major strides identify its dimensions.
  DimensionOrder rowMajor = rowMajorOrder(inputShape.size());
  std::optional<StridedView> view = operandView(access, input, rowMajor, inputShape);
  if (!view || view->offset != 0) {
    return std::nullopt;
  }
  StridedView own = rowMajorView(ArrayRef<int64_t>(inputShape.data(), inputShape.size()));
  DimensionOrder order = singlesFirst(inputShape);
  for (int64_t dimension : operandOrder) {
    for (const StridedFactor &factor : view->dimensions[static_cast<size_t>(dimension)]) {
      auto found = llvm::find(own.dimensions, StridedDimension{factor});
      if (found == own.dimensions.end()) {
        return std::nullopt;
      }
      order.push_back(found - own.dimensions.begin());
    }
  }
  bool isWhole = order.size() == inputShape.size();
  return isWhole ? std::optional(order) : std::nullopt;
}

} // namespace drumlin
