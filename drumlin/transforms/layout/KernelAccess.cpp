#include "drumlin/transforms/layout/KernelAccess.h"

#include "drumlin/ir/plan/OperationClasses.h"
#include "drumlin/ir/plan/Work.h"
#include "drumlin/ir/stablehlo/StablehloOps.h"
#include "llvm/ADT/DenseSet.h"

using namespace mlir;

namespace drumlin {

// As InputAccess has it.
using Follows = SmallVector<int64_t>;
static constexpr int64_t none = InputAccess::none, all = InputAccess::all;

// One way in which a value is read.
struct Path {
  Follows follows;
  bool isPartial = false;

  bool operator==(const Path &) const = default;
};
// A value may be read in several ways; beyond these, further ones don't matter.
static constexpr size_t mostAccesses = 4;

DimensionOrder DotDimensions::Operand::alongDepth() const {
  DimensionOrder order = batch;
  order.insert(order.end(), free.begin(), free.end());
  order.insert(order.end(), contracted.begin(), contracted.end());
  return order;
}

DimensionOrder DotDimensions::Operand::alongFree() const {
  DimensionOrder order = batch;
  order.insert(order.end(), contracted.begin(), contracted.end());
  order.insert(order.end(), free.begin(), free.end());
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

//===- one walk ---------------------------------------------------------------------===//

// A dimension of the operand follows the result's dimension whose steps are as long.
static Follows throughReshape(ArrayRef<int64_t> result, const Follows &at,
                              ArrayRef<int64_t> operand) {
  Shape resultStrides = rowMajorStrides(result), strides = rowMajorStrides(operand);
  Follows follows(operand.size(), none);
  for (size_t i = 0; i < operand.size(); ++i) {
    for (size_t j = 0; j < result.size(); ++j) {
      if (operand[i] != 1 && result[j] != 1 && strides[i] == resultStrides[j]) {
        follows[i] = at[j];
      }
    }
  }
  return follows;
}

static Follows throughReduce(stablehlo::ReduceOp reduce, const Follows &at, size_t rank) {
  Follows follows(rank, all);
  size_t kept = 0;
  for (size_t i = 0; i < rank; ++i) {
    if (!llvm::is_contained(reduce.getDimensions(), static_cast<int64_t>(i))) {
      follows[i] = at[kept++];
    }
  }
  return follows;
}

static Follows throughGather(stablehlo::GatherOp gather, const Follows &at, size_t rank) {
  auto numbers = gather.getDimensionNumbers();
  Follows follows(rank, none);
  size_t offset = 0;
  for (size_t i = 0; i < rank; ++i) {
    auto dimension = static_cast<int64_t>(i);
    bool isSliced = !llvm::is_contained(numbers.getCollapsedSliceDims(), dimension) &&
                    !llvm::is_contained(numbers.getOperandBatchingDims(), dimension);
    if (isSliced) {
      follows[i] = at[static_cast<size_t>(numbers.getOffsetDims()[offset++])];
    }
  }
  return follows;
}

static Follows throughOperand(OpOperand &operand, const Follows &at) {
  Operation *op = operand.getOwner();
  ArrayRef<int64_t> shape = shapeOf(operand.get());
  Follows follows(shape.size(), none);
  if (auto transpose = dyn_cast<stablehlo::TransposeOp>(op)) {
    for (auto [i, from] : llvm::enumerate(transpose.getPermutation())) {
      follows[static_cast<size_t>(from)] = at[i];
    }
  } else if (auto broadcast = dyn_cast<stablehlo::BroadcastInDimOp>(op)) {
    for (auto [i, to] : llvm::enumerate(broadcast.getBroadcastDimensions())) {
      follows[i] = shape[i] == 1 ? none : at[static_cast<size_t>(to)];
    }
  } else if (auto reshape = dyn_cast<stablehlo::ReshapeOp>(op)) {
    follows = throughReshape(shapeOf(reshape.getResult()), at, shape);
  } else if (auto reduce = dyn_cast<stablehlo::ReduceOp>(op)) {
    if (operand.getOperandNumber() < reduce.getInputs().size()) {
      follows = throughReduce(reduce, at, shape.size());
    }
  } else if (auto gather = dyn_cast<stablehlo::GatherOp>(op)) {
    if (operand.getOperandNumber() == 0) {
      follows = throughGather(gather, at, shape.size());
    }
  } else if (shape.size() == at.size() &&
             (classify(op) == OperationClass::Pointwise || classify(op) == OperationClass::Move ||
              isa<stablehlo::DynamicSliceOp, stablehlo::DynamicUpdateSliceOp>(op))) {
    follows = at;
  }
  return follows;
}

namespace {
// Follows one walk from its value back to the kernel's inputs. The hero ends it.
class WalkTrace {
public:
  WalkTrace(Operation *hero, Value seed) : hero(hero) {
    auto rank = static_cast<int64_t>(shapeOf(seed).size());
    add(seed, {llvm::to_vector(llvm::seq<int64_t>(0, rank))});
  }

  void run(Block &block) {
    for (Operation &op : llvm::reverse(block.without_terminator())) {
      if (&op == hero) {
        continue;
      }
      for (Value result : op.getResults()) {
        for (const Path &at : SmallVector<Path>(found.lookup(result))) {
          for (OpOperand &operand : op.getOpOperands()) {
            add(operand.get(),
                {throughOperand(operand, at.follows), at.isPartial || takesPart(operand)});
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
  static bool takesPart(OpOperand &operand) {
    return operand.getOperandNumber() == 0 &&
           isa<stablehlo::SliceOp, stablehlo::DynamicSliceOp, stablehlo::GatherOp>(
               operand.getOwner());
  }

  void add(Value value, Path path) {
    SmallVector<Path> &known = found[value];
    if (known.size() < mostAccesses && !llvm::is_contained(known, path)) {
      known.push_back(std::move(path));
    }
  }

  Operation *hero;
  DenseMap<Value, SmallVector<Path>> found;
};
} // namespace

//===- kernels ----------------------------------------------------------------------===//

static bool isPermutation(ArrayRef<int64_t> input, const Follows &follows,
                          std::span<const int64_t> walk) {
  llvm::SmallDenseSet<int64_t> seen;
  for (auto [i, dimension] : llvm::enumerate(follows)) {
    if (input[i] == 1) {
      continue;
    }
    if (dimension < 0 || walk[static_cast<size_t>(dimension)] != input[i] ||
        !seen.insert(dimension).second) {
      return false;
    }
  }
  return static_cast<int64_t>(seen.size()) ==
         llvm::count_if(walk, [](int64_t size) { return size != 1; });
}

static void readDimensions(stablehlo::DotGeneralOp dot, DotDimensions &made) {
  auto numbers = dot.getDotDimensionNumbers();
  auto fill = [](DotDimensions::Operand &operand, ArrayRef<int64_t> batch, auto free,
                 ArrayRef<int64_t> contracted) {
    operand.batch.assign(batch.begin(), batch.end());
    operand.free.assign(free.begin(), free.end());
    operand.contracted.assign(contracted.begin(), contracted.end());
  };
  fill(made.lhs, numbers.getLhsBatchingDimensions(), dot.getLhsFreeDimensions(),
       numbers.getLhsContractingDimensions());
  fill(made.rhs, numbers.getRhsBatchingDimensions(), dot.getRhsFreeDimensions(),
       numbers.getRhsContractingDimensions());
  int64_t next = 0;
  for (auto [group, count] :
       {std::pair(&made.batch, made.lhs.batch.size()), std::pair(&made.m, made.lhs.free.size()),
        std::pair(&made.n, made.rhs.free.size())}) {
    for (size_t i = 0; i < count; ++i) {
      group->push_back(next++);
    }
  }
}

// Marks the arguments that the value is made of.
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

// Slices that are updated in place, and prefix sums, are found by position.
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
  auto follow = [&](KernelWalk walk, Value seed) {
    WalkTrace trace(access.hero, seed);
    trace.run(block);
    if (access.hero) {
      for (const Path &path : trace.of(access.hero->getResult(0)).take_front()) {
        walk.heroDimensions.assign(path.follows.begin(), path.follows.end());
      }
    }
    for (BlockArgument argument : block.getArguments()) {
      for (const Path &path : trace.of(argument)) {
        access.inputs.push_back({argument.getArgNumber(), access.walks.size(),
                                 std::vector<int64_t>(path.follows.begin(), path.follows.end()),
                                 path.isPartial,
                                 isPermutation(shapeOf(argument), path.follows, walk.shape)});
      }
    }
    access.walks.push_back(std::move(walk));
  };
  for (OpOperand &output : block.getTerminator()->getOpOperands()) {
    KernelWalk walk;
    walk.output = output.getOperandNumber();
    walk.shape = Shape(shapeOf(output.get()));
    follow(std::move(walk), output.get());
  }
  if (auto dot = dyn_cast_or_null<stablehlo::DotGeneralOp>(access.hero)) {
    readDimensions(dot, access.dot);
    access.isScalar = shapeOf(dot.getResult()).empty();
    KernelWalk lhs, rhs;
    lhs.kind = KernelWalk::Lhs;
    lhs.shape = Shape(shapeOf(dot.getLhs()));
    rhs.kind = KernelWalk::Rhs;
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

std::optional<DimensionOrder> walkOrder(const KernelAccess &access, const InputAccess &input,
                                        std::span<const int64_t> inputOrder,
                                        std::span<const int64_t> inputShape) {
  if (!input.isPermutation) {
    return std::nullopt;
  }
  DimensionOrder order = singlesFirst(access.walks[input.walk].shape);
  for (int64_t dimension : inputOrder) {
    if (inputShape[static_cast<size_t>(dimension)] != 1) {
      order.push_back(input.follows[static_cast<size_t>(dimension)]);
    }
  }
  return order;
}

std::optional<DimensionOrder> inputOrder(const KernelAccess &access, const InputAccess &input,
                                         std::span<const int64_t> walkOrder,
                                         std::span<const int64_t> inputShape) {
  if (!input.isPermutation) {
    return std::nullopt;
  }
  const Shape &shape = access.walks[input.walk].shape;
  DimensionOrder order = singlesFirst(inputShape);
  for (int64_t dimension : walkOrder) {
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

} // namespace drumlin
