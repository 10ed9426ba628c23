// Splits reductions of many elements to few results, so that threads share them: one dimension is
// divided into parts, each part is reduced by itself, and then the parts' results are combined.
// Without the split, one thread would compute each result.
#include "drumlin/transforms/Rules.h"
#include "drumlin/transforms/rewrite/Passes.h"

#include "drumlin/ir/plan/OperationClasses.h"
#include "drumlin/ir/plan/Reducers.h"
#include "drumlin/ir/plan/loop/LoopProblem.h"
#include "drumlin/ir/sizes/SizeSymbols.h"
#include "drumlin/ir/stablehlo/ConstantOp.h"
#include "drumlin/ir/stablehlo/ConvertOp.h"
#include "drumlin/ir/stablehlo/OptimizationBarrierOp.h"
#include "drumlin/ir/stablehlo/ReduceOp.h"
#include "drumlin/ir/stablehlo/ReshapeOp.h"
#include "drumlin/ir/stablehlo/SliceOp.h"
#include "drumlin/ir/stablehlo/StablehloTypes.h"
#include "mlir/IR/IRMapping.h"
#include "mlir/IR/Matchers.h"

using namespace mlir;

namespace drumlin {

#define GEN_PASS_DEF_SPLITREDUCTIONSPASS
#include "drumlin/transforms/rewrite/Passes.h.inc"

// Minimum elements of a part: one thread reduces them in 2 us (f32, from a cache, on a core of a
// Sapphire Rapids Xeon). Minimum parts: the kernel that combines the parts' results, and calling
// another thread, take about 1 us.
static constexpr int64_t leastElements = 16 * 1024, fewestParts = 4;
// Results and parts together are at most about this many work items.
static constexpr int64_t enoughItems = 64;
// Reductions of more work items than this aren't split. A row that one thread computes stays in its
// caches, if the row is read again: these have a lower limit.
static constexpr int64_t mostItems = 8, mostRows = 3;
// Results that are next to each other in memory are reduced together, at least this many at a time.
static constexpr int64_t neighbours = 64;
// Maximum operations per element that are repeated in a reduction instead of stored for it.
static constexpr int64_t maxRepeated = 16;
// A dimension whose size isn't a multiple of the number of parts is divided only if it has this
// many positions for each part: one thread reduces the positions that are left over.
static constexpr int64_t leastPositions = 8;

namespace {
// The division of one reduced dimension: `parts` ranges of `positions` each, from the first
// position on. Fewer positions than parts are left over at the end.
struct Division {
  int64_t dimension = 0;
  int64_t parts = 1;
  int64_t positions = 0;
};
} // namespace

// Returns the number of parts that give threads enough work items; less than `fewestParts`: the
// reduction has enough of them, or few elements.
static int64_t partsWanted(stablehlo::ReduceOp reduce) {
  const int64_t elements = elementsOf(reduce.getInputs().front());
  const int64_t results = elementsOf(reduce->getResult(0));
  const int64_t wanted = std::min(enoughItems, elements / leastElements);
  const bool areRows = reducesInnermost(reduce);
  const int64_t items = areRows ? results : (results + neighbours - 1) / neighbours;
  return items > (areRows ? mostRows : mostItems) ? 0 : wanted / std::max<int64_t>(items, 1);
}

// Returns the division into about `wanted` parts, at least half of them; nothing if no reduced
// dimension has one. Prefers outer dimensions, whose parts are contiguous, and equal parts.
static std::optional<Division> divisionOf(stablehlo::ReduceOp reduce, int64_t wanted) {
  ArrayRef<int64_t> shape = shapeOf(reduce.getInputs().front());
  SmallVector<int64_t> dimensions(reduce.getDimensions());
  llvm::sort(dimensions);
  for (int64_t dimension : dimensions) {
    const int64_t size = shape[static_cast<size_t>(dimension)];
    for (int64_t parts = wanted; 2 * parts > wanted; --parts) {
      if (size >= parts && size % parts == 0) {
        return Division{dimension, parts, size / parts};
      }
    }
    if (size >= leastPositions * wanted) {
      return Division{dimension, wanted, size / wanted};
    }
  }
  return std::nullopt;
}

// Returns the type in which partial sums are kept: f32 for narrower floats, which kernels add up in
// f32 and round once.
static Type typeOfParts(Type element, Reducer reducer) {
  const bool rounds = reducer == Reducer::Add || reducer == Reducer::Multiply;
  auto type = dyn_cast<FloatType>(element);
  return rounds && type && type.getWidth() < 32 ? Float32Type::get(element.getContext()) : element;
}

//===- operands ---------------------------------------------------------------------===//

// Returns whether kernels of this block can compute the value where they read it: it is computed
// in the block, and no operation needs it in memory.
static bool isComputedByReaders(Value value, Block *block) {
  Operation *op = value.getDefiningOp();
  return op && op->getBlock() == block && classify(op) == OperationClass::Pointwise &&
         op->getNumResults() == 1 && llvm::all_of(op->getUsers(), [&](Operation *user) {
           const OperationClass kind = classify(user);
           return user->getBlock() == block && (isFree(user) || kind == OperationClass::Pointwise ||
                                                kind == OperationClass::Reduction);
         });
}

// Returns whether kernels can read the value, or elements that data movement takes from it, as
// often as they like: it is in memory, or a single element.
static bool isInMemory(Value value) {
  Operation *op = value.getDefiningOp();
  return !op || !isFusible(op) || elementsOf(value) <= 1 ||
         (isFree(op) && llvm::all_of(op->getOperands(), isInMemory));
}

namespace {
// The elementwise operations from which a reduction's operand is computed. The parts, and the
// positions that are left over, get operations of their own: shared ones would be computed by a
// separate kernel, and stored.
class Producers {
public:
  explicit Producers(stablehlo::ReduceOp reduce) : operand(reduce.getInputs().front()) {
    int64_t repeated = 0;
    SmallVector<Value> left = {operand};
    while (!left.empty()) {
      Value value = left.pop_back_val();
      Operation *op = value.getDefiningOp();
      if (!isComputedByReaders(value, reduce->getBlock())) {
        areInMemory &= isInMemory(value);
        continue;
      }
      if (!found.insert(op)) {
        continue;
      }
      left.append(op->operand_begin(), op->operand_end());
      const bool isShared = llvm::any_of(
          op->getUsers(), [&](Operation *user) { return user != reduce && !found.contains(user); });
      repeated += isShared ? operationsPerElement(op) : 0;
    }
    if (repeated > maxRepeated) {
      found.clear();
    }
  }

  // Returns whether the operand is computed, element by element, from values in memory. If not, as
  // where it gathers computed elements, several reductions of it would compute more, or store it.
  bool areReadFromMemory() const { return areInMemory; }

  // Returns the operand's positions [begin, end) in a dimension.
  Value range(OpBuilder &builder, int64_t dimension, int64_t begin, int64_t end) {
    copies.clear();
    return range(builder, operand, dimension, begin, end);
  }

private:
  Value range(OpBuilder &builder, Value value, int64_t dimension, int64_t begin, int64_t end) {
    Value copy = copies.lookup(value);
    if (!copy) {
      copy = found.contains(value.getDefiningOp()) ? computed(builder, value, dimension, begin, end)
                                                   : sliced(builder, value, dimension, begin, end);
      copies[value] = copy;
    }
    return copy;
  }

  Value computed(OpBuilder &builder, Value value, int64_t dimension, int64_t begin, int64_t end) {
    Operation *op = value.getDefiningOp();
    SmallVector<Value> operands(op->getOperands());
    for (Value &each : operands) {
      if (shapeOf(each) == shapeOf(value)) { // else a scalar, as a bound of a clamp
        each = range(builder, each, dimension, begin, end);
      }
    }
    Operation *copy = builder.clone(*op);
    copy->setOperands(operands);
    copy->getResult(0).setType(typeOfRange(value, dimension, end - begin));
    return copy->getResult(0);
  }

  static Value sliced(OpBuilder &builder, Value value, int64_t dimension, int64_t begin,
                      int64_t end) {
    const RankedTensorType type = typeOfRange(value, dimension, end - begin);
    SplatElementsAttr splat;
    if (type == value.getType()) {
      return value;
    }
    if (matchPattern(value, m_Constant(&splat))) {
      return stablehlo::ConstantOp::create(builder, value.getLoc(), splat.resizeSplat(type));
    }
    SmallVector<int64_t> limits(shapeOf(value)), starts(limits.size(), 0),
        strides(limits.size(), 1);
    starts[static_cast<size_t>(dimension)] = begin;
    limits[static_cast<size_t>(dimension)] = end;
    return stablehlo::SliceOp::create(builder, value.getLoc(), type, value, starts, limits,
                                      strides);
  }

  static RankedTensorType typeOfRange(Value value, int64_t dimension, int64_t positions) {
    auto type = cast<RankedTensorType>(value.getType());
    SmallVector<int64_t> shape(type.getShape());
    shape[static_cast<size_t>(dimension)] = positions;
    return type.clone(shape);
  }

  Value operand;
  bool areInMemory = true;
  llvm::SmallSetVector<Operation *, 8> found;
  llvm::DenseMap<Value, Value> copies;
};
} // namespace

//===- the split ------------------------------------------------------------------------===//

namespace {
// Rebuilds one reduction from reductions of parts of its operand.
class Splitter {
public:
  Splitter(stablehlo::ReduceOp reduce, Producers producers, Type type)
      : builder(reduce), loc(reduce.getLoc()), reduce(reduce), type(type),
        producers(std::move(producers)), initial(converted(reduce.getInitValues().front())) {}

  void run(const Division &division) {
    const auto dimension = static_cast<size_t>(division.dimension);
    const int64_t divided = division.parts * division.positions;
    ArrayRef<int64_t> whole = shapeOf(reduce.getInputs().front());
    // The parts' dimension comes before that of a part's positions, which is reduced first.
    SmallVector<int64_t> shape(whole);
    shape[dimension] = division.positions;
    shape.insert(shape.begin() + division.dimension, division.parts);
    Value cut = stablehlo::ReshapeOp::create(builder, loc, typeWith(shape),
                                             range(division.dimension, 0, divided));
    SmallVector<int64_t> inner;
    int64_t place = division.dimension;
    for (int64_t each : reduce.getDimensions()) {
      inner.push_back(each < division.dimension ? each : each + 1);
      place -= each < division.dimension ? 1 : 0;
    }
    // The barrier keeps the reduction of the parts apart from that of their results.
    Value parts = reduced(cut, inner);
    parts = stablehlo::OptimizationBarrierOp::create(builder, loc, TypeRange(parts.getType()),
                                                     ValueRange(parts))
                ->getResult(0);
    Value made = reduced(parts, {place});
    if (divided < whole[dimension]) {
      made = combined(made, reduced(range(division.dimension, divided, whole[dimension]),
                                    reduce.getDimensions()));
    }
    if (made.getType() != reduce->getResult(0).getType()) {
      made = stablehlo::ConvertOp::create(builder, loc, reduce->getResult(0).getType(), made);
    }
    reduce->getResult(0).replaceAllUsesWith(made);
    reduce.erase();
  }

private:
  RankedTensorType typeWith(ArrayRef<int64_t> shape) const {
    return RankedTensorType::get(shape, type);
  }
  Value converted(Value value) {
    auto from = cast<RankedTensorType>(value.getType());
    return from.getElementType() == type
               ? value
               : stablehlo::ConvertOp::create(builder, loc, from.clone(type), value).getResult();
  }
  // Returns the operand's positions [begin, end) in a dimension.
  Value range(int64_t dimension, int64_t begin, int64_t end) {
    return converted(producers.range(builder, dimension, begin, end));
  }
  Value reduced(Value operand, ArrayRef<int64_t> dimensions) {
    SmallVector<int64_t> shape;
    for (auto [i, size] : llvm::enumerate(shapeOf(operand))) {
      if (!llvm::is_contained(dimensions, static_cast<int64_t>(i))) {
        shape.push_back(size);
      }
    }
    auto made =
        stablehlo::ReduceOp::create(builder, loc, TypeRange(typeWith(shape)), ValueRange(operand),
                                    ValueRange(initial), builder.getDenseI64ArrayAttr(dimensions));
    Block &body = made.getBody().emplaceBlock();
    IRMapping mapping;
    for (BlockArgument argument : reduce.getBody().getArguments()) {
      mapping.map(argument, body.addArgument(typeWith({}), argument.getLoc()));
    }
    OpBuilder inside = OpBuilder::atBlockEnd(&body);
    for (Operation &op : reduce.getBody().front()) {
      for (Value result : inside.clone(op, mapping)->getResults()) {
        result.setType(typeWith({}));
      }
    }
    return made->getResult(0);
  }
  // Applies the body's operation to two values of the result's shape.
  Value combined(Value a, Value b) {
    OperationState state(loc, reduce.getBody().front().front().getName());
    state.addOperands({a, b});
    state.addTypes(a.getType());
    return builder.create(state)->getResult(0);
  }

  OpBuilder builder;
  Location loc;
  stablehlo::ReduceOp reduce;
  Type type;
  Producers producers;
  Value initial;
};
} // namespace

// Returns whether elements may be combined in any order, with the initial value any number of
// times.
static bool isSplittable(stablehlo::ReduceOp reduce) {
  return isNeutral(reduce) && !hasSymbolicSizes(reduce.getInputs().front().getType());
}

// reduce(x)  ==>  reduce(reduce(x in parts))
static void visit(stablehlo::ReduceOp reduce, Ledger &ledger) {
  const int64_t wanted = isSplittable(reduce) ? partsWanted(reduce) : 0;
  std::optional<Division> division =
      wanted >= fewestParts ? divisionOf(reduce, wanted) : std::nullopt;
  if (!division) {
    return;
  }
  Producers producers(reduce);
  if (!producers.areReadFromMemory()) {
    return;
  }
  Decision decision = Decision::taken();
  decision.remedy = std::to_string(division->parts) + " parts, whose results are combined";
  if (ledger.recordUnlessOff(Rule::SplitReduction, reduce, decision).isTaken()) {
    Type element = getElementTypeOrSelf(reduce->getResult(0));
    Type ofParts = typeOfParts(element, *knownReducer(reduce.getBody()));
    Splitter(reduce, std::move(producers), ofParts).run(*division);
  }
}

namespace {
struct SplitReductionsPass : impl::SplitReductionsPassBase<SplitReductionsPass> {
  SplitReductionsPass() = default;
  explicit SplitReductionsPass(Ledger &ledger) : ledger(&ledger) {}

  void runOnOperation() override {
    Ledger own;
    // Reductions in kernels, which are formed already, belong to products.
    SmallVector<stablehlo::ReduceOp> reductions;
    getOperation().walk<WalkOrder::PreOrder>([&](Operation *op) {
      if (auto reduce = dyn_cast<stablehlo::ReduceOp>(op)) {
        reductions.push_back(reduce);
      }
      const bool isEntered = op == getOperation() || classify(op) == OperationClass::Control;
      return isEntered ? WalkResult::advance() : WalkResult::skip();
    });
    for (stablehlo::ReduceOp reduce : reductions) {
      visit(reduce, ledger ? *ledger : own);
    }
  }

  Ledger *ledger = nullptr;
};
} // namespace

std::unique_ptr<Pass> createSplitReductionsPass(Ledger &ledger) {
  return std::make_unique<SplitReductionsPass>(ledger);
}

} // namespace drumlin
