#include "drumlin/engines/RowGraph.h"

#include "drumlin/ir/indexing/IndexingInterface.h"
#include "drumlin/ir/plan/BufferAssignment.h"
#include "drumlin/ir/plan/Layouts.h"
#include "drumlin/ir/plan/OperationClasses.h"
#include "drumlin/ir/plan/TripCount.h"
#include "drumlin/ir/stablehlo/ConvolutionOp.h"
#include "drumlin/ir/stablehlo/DotGeneralOp.h"
#include "drumlin/ir/stablehlo/ProductRoles.h"
#include "drumlin/ir/stablehlo/WhileOp.h"
#include "drumlin/support/Cost.h"
#include "mlir/Dialect/Func/IR/FuncOps.h"

#include <numeric>

using namespace mlir;

namespace drumlin {

//===- mapping rows between values ---------------------------------------------------===//

// A dimension of a follower. `factors` are the factors of the corresponding dimension of the
// followed value; `stride` is the dimension's stride in the follower.
struct ReadDimension {
  ArrayRef<StridedFactor> factors;
  int64_t size, stride;
};

static std::optional<RowStride> rowInFactors(const ReadDimension &dimension, RowStride row) {
  if (row < dimension.stride || row >= dimension.stride * dimension.size) {
    return std::nullopt;
  }
  int64_t steps = row / dimension.stride, inner = 1;
  for (const StridedFactor &factor : llvm::reverse(dimension.factors)) {
    if (steps < inner * factor.size) {
      return factor.stride == 0 ? std::nullopt : std::optional(factor.stride * (steps / inner));
    }
    inner *= factor.size;
  }
  return std::nullopt;
}

static std::optional<RowStride> rowInDimension(const ReadDimension &dimension, RowStride row) {
  int64_t inner = 1;
  for (const StridedFactor &factor : llvm::reverse(dimension.factors)) {
    if (factor.stride > 0 && row >= factor.stride && row < factor.stride * factor.size) {
      int64_t steps = inner * (row / factor.stride);
      return steps < dimension.size ? std::optional(dimension.stride * steps) : std::nullopt;
    }
    inner *= factor.size;
  }
  return std::nullopt;
}

static SmallVector<ReadDimension> dimensionsOf(const RowLink &link, ArrayRef<int64_t> follower) {
  SmallVector<ReadDimension> made;
  int64_t stride = 1;
  for (size_t d = follower.size(); d-- > 0;) {
    int64_t from = link.dimensions[d];
    if (from >= 0 && follower[d] > 1) {
      made.push_back({link.from.view.dimensions[static_cast<size_t>(from)], follower[d], stride});
    }
    stride *= follower[d];
  }
  return made;
}

static std::optional<RowStride>
firstRow(const SmallVector<ReadDimension> &dimensions, RowStride row,
         std::optional<RowStride> (*find)(const ReadDimension &, RowStride)) {
  if (row == noRow) {
    return noRow;
  }
  for (const ReadDimension &dimension : dimensions) {
    if (std::optional<RowStride> found = find(dimension, row)) {
      return found;
    }
  }
  return std::nullopt;
}

std::optional<RowStride> rowBehind(const RowLink &link, ArrayRef<int64_t> follower, RowStride row) {
  return firstRow(dimensionsOf(link, follower), row, rowInFactors);
}

std::optional<RowStride> rowAhead(const RowLink &link, ArrayRef<int64_t> follower, RowStride row) {
  return firstRow(dimensionsOf(link, follower), row, rowInDimension);
}

static SmallVector<int64_t> sameDimensions(size_t rank) {
  return llvm::to_vector(llvm::seq<int64_t>(0, static_cast<int64_t>(rank)));
}

static bool isIn(RowStride row, const std::vector<StridedFactor> &factors) {
  return llvm::any_of(factors, [&](const StridedFactor &factor) {
    return row >= factor.stride && row < factor.stride * factor.size;
  });
}

bool RowNeed::isMetBy(RowStride lies) const {
  if (!isProduct) {
    return lies == row;
  }
  return free.empty() ? lies == noRow : isIn(lies, free);
}

bool RowNeed::contracts(RowStride lies) const { return isProduct && isIn(lies, summed); }

int64_t RowValue::elements() const {
  return std::accumulate(shape.begin(), shape.end(), int64_t(1), multiplySaturating);
}

int64_t RowValue::extentAlong(RowStride row) const {
  if (row == noRow) {
    return 1;
  }
  auto next = std::upper_bound(starts.begin(), starts.end(), row);
  return (next == starts.end() ? elements() : *next) / row;
}

//===- roles of operands' dimensions ------------------------------------------------===//

SmallVector<DimensionRole> rolesOf(Operation *product, unsigned operand) {
  SmallVector<DimensionRole> roles(shapeOf(product->getOperand(operand)).size(),
                                   DimensionRole::Free);
  auto set = [&](ArrayRef<int64_t> dimensions, DimensionRole role) {
    for (int64_t dimension : dimensions) {
      roles[static_cast<size_t>(dimension)] = role;
    }
  };
  if (auto dot = dyn_cast<stablehlo::DotGeneralOp>(product)) {
    stablehlo::ProductRoles all(dot);
    set(all.operands[operand].batch, DimensionRole::Batch);
    set(all.operands[operand].contracting, DimensionRole::Contracted);
    return roles;
  }
  auto numbers = cast<stablehlo::ConvolutionOp>(product).getDimensionNumbers();
  if (operand == 0) {
    set({numbers.getInputFeatureDimension()}, DimensionRole::Contracted);
  } else {
    set({numbers.getKernelInputFeatureDimension()}, DimensionRole::Contracted);
    set(numbers.getKernelSpatialDimensions(), DimensionRole::Contracted);
  }
  return roles;
}

//===- the graph --------------------------------------------------------------------===//

static bool isTensor(Value value) {
  auto type = dyn_cast<RankedTensorType>(value.getType());
  return type && type.hasStaticShape();
}

// An operand that a result follows. For each dimension of the result, `dimensions` has the
// corresponding dimension of the operand; -1: none. followedBy() returns nullopt if the operation
// only reads and writes row-major values.
struct Followed {
  unsigned operand;
  SmallVector<int64_t> dimensions;
};
static std::optional<SmallVector<Followed>> followedBy(OpResult result) {
  Operation *op = result.getOwner();
  OperationClass kind = classify(op);
  bool isReduction = kind == OperationClass::Reduction;
  bool mayFollow = isReduction || kind == OperationClass::Pointwise ||
                   kind == OperationClass::DataMovement || kind == OperationClass::Gather;
  if (!mayFollow || op->getNumOperands() == 0) {
    return std::nullopt;
  }
  SmallVector<Followed> made;
  for (OpOperand &operand : op->getOpOperands()) {
    unsigned number = operand.getOperandNumber();
    bool isOther = isReduction && number != result.getResultNumber();
    if (isOther || !isTensor(operand.get()) || elementsOf(operand.get()) <= 1) {
      continue;
    }
    std::optional<IndexingMap> map = indexing(operand, result.getResultNumber());
    std::optional<SmallVector<int64_t>> dimensions = map ? map->operandDimensions() : std::nullopt;
    bool isGathered = map && llvm::any_of(map->symbols(), [](const IndexingMap::Symbol &symbol) {
                        return symbol.isKnownAtRunTime() && !symbol.at.isConstant();
                      });
    if (!dimensions || isGathered) {
      return std::nullopt;
    }
    made.push_back({number, std::move(*dimensions)});
  }
  return made;
}

namespace {
class GraphBuilder {
public:
  RowGraph run(func::FuncOp main) {
    for (BlockArgument argument : main.getArguments()) {
      if (isTensor(argument)) {
        addArgument(main, argument);
      }
    }
    walk(main.getBody().front(), 1);
    addResults(main);
    spreadStarts();
    return std::move(graph);
  }

private:
  RowGraph graph;
  llvm::DenseMap<Value, RowReading> &readings = graph.readings;

  bool addStart(size_t value, RowStride row) {
    std::vector<RowStride> &starts = graph.values[value].starts;
    auto at = std::lower_bound(starts.begin(), starts.end(), row);
    if (at != starts.end() && *at == row) {
      return false;
    }
    starts.insert(at, row);
    return true;
  }

  void setReading(Value value, RowReading reading) {
    for (const StridedDimension &dimension : reading.view.dimensions) {
      for (const StridedFactor &factor : dimension) {
        addStart(reading.value, factor.stride);
      }
    }
    readings[value] = std::move(reading);
  }

  void spreadStarts() {
    auto spread = [&](size_t value, const RowLink &link) {
      bool changes = false;
      ArrayRef<int64_t> shape = graph.values[value].shape;
      for (RowStride row : std::vector<RowStride>(graph.values[link.from.value].starts)) {
        std::optional<RowStride> ahead = rowAhead(link, shape, row);
        changes |= ahead && addStart(value, *ahead);
      }
      for (RowStride row : std::vector<RowStride>(graph.values[value].starts)) {
        std::optional<RowStride> behind = rowBehind(link, shape, row);
        changes |= behind && addStart(link.from.value, *behind);
      }
      return changes;
    };
    bool changes = true;
    while (changes) {
      changes = false;
      for (size_t value = 0; value < graph.values.size(); ++value) {
        for (const RowLink &link : graph.values[value].links) {
          changes |= spread(value, link);
        }
      }
    }
  }

  RowValue &add(Value value, RowValue::Kind kind, int64_t calls) {
    RowValue made;
    made.kind = kind;
    made.value = value;
    made.shape.assign(shapeOf(value).begin(), shapeOf(value).end());
    made.calls = calls;
    graph.values.push_back(std::move(made));
    setReading(value, {graph.values.size() - 1, rowMajorView(shapeOf(value))});
    return graph.values.back();
  }

  const RowReading &read(Value value) {
    if (!readings.contains(value)) {
      add(value, RowValue::Given, 1);
    }
    return readings.find(value)->second;
  }

  bool isStatic(Value value) {
    auto found = readings.find(value);
    return found != readings.end() && graph.values[found->second.value].kind == RowValue::Static;
  }

  static StringRef modeOf(Attribute attribute) {
    auto mode = dyn_cast_or_null<StringAttr>(attribute);
    return mode ? mode.getValue() : StringRef("default");
  }

  void addArgument(func::FuncOp main, BlockArgument argument) {
    unsigned number = argument.getArgNumber();
    size_t passed = main.getNumArguments() - weightCount(main);
    StringRef mode = modeOf(main.getArgAttr(number, layoutModeAttribute));
    RowValue::Kind kind = RowValue::Given;
    if (number >= passed || main.getArgAttr(number, staticAttribute)) {
      kind = RowValue::Static;
    } else if (mode == "auto") {
      kind = RowValue::Chosen;
    }
    RowValue &made = add(argument, kind, 1);
    ArrayRef<int64_t> shape = shapeOf(argument);
    if (std::optional<DimensionOrder> order = parseLayout(mode, shape.size())) {
      Shape physical = physicalShape(shape, *order);
      made.shape.assign(physical.begin(), physical.end());
      size_t added = graph.values.size() - 1;
      graph.values[added].starts.clear();
      setReading(argument, {added, viewInOrder(shape, *order)});
    }
  }

  void addResults(func::FuncOp main) {
    Operation *end = main.getBody().front().getTerminator();
    for (OpOperand &operand : end->getOpOperands()) {
      unsigned number = operand.getOperandNumber();
      StringRef mode = modeOf(main.getResultAttr(number, layoutModeAttribute));
      if (!isTensor(operand.get()) || mode == "auto") {
        continue;
      }
      ArrayRef<int64_t> shape = shapeOf(operand.get());
      std::optional<DimensionOrder> order = parseLayout(mode, shape.size());
      addRowNeed(operand, order.value_or(rowMajorOrder(shape.size())));
    }
  }

  // Adds the need of an operation that reads an operand whose dimensions must be in `order` in
  // memory.
  void addRowNeed(OpOperand &operand, ArrayRef<int64_t> order) {
    const RowReading &reading = read(operand.get());
    ArrayRef<int64_t> shape = shapeOf(operand.get());
    for (int64_t dimension : llvm::reverse(order)) {
      const StridedDimension &factors = reading.view.dimensions[static_cast<size_t>(dimension)];
      if (shape[static_cast<size_t>(dimension)] == 0) {
        return;
      }
      if (!factors.empty()) {
        RowNeed need;
        need.value = reading.value;
        need.reader = operand.getOwner();
        need.operand = operand.getOperandNumber();
        need.row = factors.back().stride;
        graph.needs.push_back(std::move(need));
        return;
      }
    }
  }

  void addProduct(Operation *op, int64_t calls) {
    graph.products.push_back({op, calls});
    for (unsigned operand : {0U, 1U}) {
      const RowReading &reading = read(op->getOperand(operand));
      RowNeed need;
      need.value = reading.value;
      need.reader = op;
      need.operand = operand;
      need.isProduct = true;
      for (auto [role, factors] : llvm::zip(rolesOf(op, operand), reading.view.dimensions)) {
        for (const StridedFactor &factor : factors) {
          if (role == DimensionRole::Free) {
            need.free.push_back(factor);
          } else if (role == DimensionRole::Contracted) {
            need.summed.push_back(factor);
            need.contracted = multiplySaturating(need.contracted, factor.size);
          }
        }
      }
      graph.needs.push_back(std::move(need));
    }
    RowValue &made = add(op->getResult(0), RowValue::Chosen, calls);
    if (auto dot = dyn_cast<stablehlo::DotGeneralOp>(op)) {
      for (size_t d = 0; d < stablehlo::ProductRoles(dot).batchCount(); ++d) {
        made.batch = multiplySaturating(made.batch, made.shape[d]);
      }
    }
  }

  void follow(Value follower, Value followed, ArrayRef<int64_t> dimensions) {
    if (!isTensor(followed) || elementsOf(followed) <= 1) {
      return;
    }
    RowReading reading = read(followed);
    RowLink link = {std::move(reading), llvm::to_vector(dimensions)};
    graph.values[read(follower).value].links.push_back(std::move(link));
  }
  void followAll(Value follower, Value followed) {
    follow(follower, followed, sameDimensions(shapeOf(follower).size()));
  }

  void addLoop(stablehlo::WhileOp loop, int64_t calls) {
    int64_t inside = multiplySaturating(calls, tripCount(loop).value_or(1));
    Block &body = loop.getBody().front(), &condition = loop.getCond().front();
    Operation *end = body.getTerminator();
    auto isKept = [&](unsigned number) {
      return end->getOperand(number) == body.getArgument(number);
    };
    for (auto [number, initial] : llvm::enumerate(loop->getOperands())) {
      if (!isTensor(initial)) {
        continue;
      }
      auto i = static_cast<unsigned>(number);
      Value inBody = body.getArgument(i), inCondition = condition.getArgument(i);
      if (isKept(i)) {
        RowReading same = read(initial);
        readings[inBody] = readings[inCondition] = readings[loop->getResult(i)] = same;
        continue;
      }
      add(inBody, RowValue::Follows, inside);
      followAll(inBody, initial);
      RowReading same = read(inBody);
      readings[inCondition] = same;
    }
    walk(condition, addSaturating(inside, calls));
    walk(body, inside);
    for (auto [number, next] : llvm::enumerate(end->getOperands())) {
      auto i = static_cast<unsigned>(number);
      if (isTensor(next) && !isKept(i)) {
        followAll(body.getArgument(i), next);
        add(loop->getResult(i), RowValue::Follows, calls);
        followAll(loop->getResult(i), body.getArgument(i));
      }
    }
  }

  void addBranches(Operation *op, int64_t calls) {
    for (Region &region : op->getRegions()) {
      walk(region.front(), calls);
    }
    for (OpResult result : op->getResults()) {
      if (!isTensor(result)) {
        continue;
      }
      add(result, RowValue::Follows, calls);
      for (Region &region : op->getRegions()) {
        followAll(result, region.front().getTerminator()->getOperand(result.getResultNumber()));
      }
    }
  }

  // If a result has exactly the elements of its operand and is a strided view of them, makes the
  // result another reading (RowReading) of the operand's value and returns true. Otherwise returns
  // false.
  bool addView(Operation *op) {
    std::optional<IndexingMap> map = dataMovementIndexing(op);
    if (!map || elementsOf(op->getOperand(0)) != elementsOf(op->getResult(0))) {
      return false;
    }
    const RowReading &operand = read(op->getOperand(0));
    std::optional<StridedView> view = viewThrough(*map, operand.view);
    if (view) {
      RowReading made = {operand.value, std::move(*view)};
      setReading(op->getResult(0), std::move(made));
    }
    return view.has_value();
  }

  void addOther(Operation *op, int64_t calls) {
    bool isMadeOfStatic = classify(op) != OperationClass::Other &&
                          llvm::all_of(op->getOperands(), [&](Value v) { return isStatic(v); });
    bool reads = false; // whether `op` reads its operands row-major
    for (OpResult result : op->getResults()) {
      if (!isTensor(result)) {
        continue;
      }
      std::optional<SmallVector<Followed>> followed = followedBy(result);
      RowValue::Kind kind = followed ? RowValue::Follows : RowValue::Given;
      add(result, isMadeOfStatic ? RowValue::Static : kind, calls);
      reads |= !followed && !isMadeOfStatic;
      for (const Followed &each : followed.value_or(SmallVector<Followed>())) {
        follow(result, op->getOperand(each.operand), each.dimensions);
      }
    }
    for (OpOperand &operand : op->getOpOperands()) {
      if (reads && isTensor(operand.get())) {
        addRowNeed(operand, rowMajorOrder(shapeOf(operand.get()).size()));
      }
    }
  }

  void walk(Block &block, int64_t calls) {
    for (Operation &op : block.without_terminator()) {
      if (auto loop = dyn_cast<stablehlo::WhileOp>(op)) {
        addLoop(loop, calls);
      } else if (classify(&op) == OperationClass::Control) {
        addBranches(&op, calls);
      } else if (isa<stablehlo::DotGeneralOp, stablehlo::ConvolutionOp>(op)) {
        addProduct(&op, calls);
        if (isStatic(op.getOperand(0)) && isStatic(op.getOperand(1))) {
          graph.values.back().kind = RowValue::Static;
        }
      } else if (!addView(&op)) {
        addOther(&op, calls);
      }
    }
  }
};
} // namespace

RowGraph buildRowGraph(ModuleOp module) {
  auto main = module.lookupSymbol<func::FuncOp>("main");
  return main && !main.isExternal() ? GraphBuilder().run(main) : RowGraph();
}

} // namespace drumlin
