#include "drumlin/engines/EngineCost.h"

#include "drumlin/engines/RowChoice.h"
#include "drumlin/engines/StaticRemedy.h"
#include "drumlin/ir/costs/ProgramCost.h"
#include "drumlin/ir/costs/Work.h"
#include "drumlin/ir/indexing/IndexingInterface.h"
#include "drumlin/ir/plan/Entry.h"
#include "drumlin/ir/plan/Layouts.h"
#include "drumlin/ir/plan/OperationClasses.h"
#include "drumlin/ir/plan/Origin.h"
#include "drumlin/ir/plan/PlanDialect.h"
#include "drumlin/ir/plan/TripCount.h"
#include "drumlin/ir/stablehlo/ConvolutionOp.h"
#include "drumlin/ir/stablehlo/DotGeneralOp.h"
#include "drumlin/ir/stablehlo/WhileOp.h"
#include "drumlin/support/Cost.h"
#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "llvm/ADT/DenseMap.h"

#include <algorithm>
#include <map>
#include <numeric>

using namespace mlir;

namespace drumlin {

double EngineCost::intensity() const {
  return bytes > 0 ? static_cast<double>(modelFlops) / static_cast<double>(bytes) : 0;
}

double EngineCost::seconds(const TensorEngine &engine) const {
  return std::max(adjustedFlops / engine.peakFlops,
                  static_cast<double>(bytes) / engine.bytesPerSecond);
}

double EngineCost::highestUtilization(const TensorEngine &engine) const {
  double time = seconds(engine);
  return time > 0 ? static_cast<double>(modelFlops) / engine.peakFlops / time : 0;
}

static ElementType typeOf(Value value) {
  return elementTypeOf(getElementTypeOrSelf(value.getType()));
}

bool EngineOperation::isProduct() const { return name != "transpose"; }

const EngineOperand &EngineOperation::programOperand(unsigned number) const {
  bool isSwapped = op->hasAttr(plan::swappedAttribute);
  return (number == 0) != isSwapped ? lhs : rhs;
}

// Returns whether a dot requests tf32, which takes as long as bf16.
static bool usesTf32(Operation *op) {
  auto dot = dyn_cast<stablehlo::DotGeneralOp>(op);
  auto algorithm = dot ? dot.getAlgorithm() : std::nullopt;
  return algorithm && isa<FloatTF32Type>(algorithm->getLhsPrecisionType()) &&
         isa<FloatTF32Type>(algorithm->getRhsPrecisionType());
}

static std::string listText(ArrayRef<int64_t> extents) {
  std::string text = "[";
  for (int64_t extent : extents) {
    text += (text.size() > 1 ? ", " : "") + std::to_string(extent);
  }
  return text + "]";
}

static std::string sideOf(unsigned operand) { return operand == 0 ? "left" : "right"; }

// Returns the cost of a dot or convolution without the transposes of its operands.
static EngineOperation productOperation(Operation *op, int64_t calls, const TensorEngine &engine) {
  ContractionShape shape = contractionShape(op);
  EngineProduct product{shape.batch, shape.m, shape.n, shape.k, false, false};
  EngineOperation made;
  ElementType lhs = typeOf(op->getOperand(0)), rhs = typeOf(op->getOperand(1));
  ElementType wider = info(lhs).bits >= info(rhs).bits ? lhs : rhs;
  std::string batch = shape.batch == 1 ? "" : std::to_string(shape.batch) + " of ";
  made.op = op;
  made.name = op->getName().getStringRef().str();
  made.source = plan::sourceOf(op->getLoc());
  made.shape = std::string(info(wider).name) + " " + batch + listText({shape.m, shape.k}) + " x " +
               listText({shape.k, shape.n});
  made.calls = calls;
  made.modelFlops = multiplySaturating(calls, multiplySaturating(2, multiplyAdds(op)));
  made.hardwareFlops = multiplySaturating(calls, traverseTiles(engine, product).matmul);
  made.typeFactor = usesTf32(op) ? 1 : typeFactor(engine, wider);
  made.adjustedFlops = static_cast<double>(made.hardwareFlops) * made.typeFactor;
  return made;
}

static EngineOperation transposeOperation(Value value, Location loc) {
  EngineOperation made;
  made.op = value.getDefiningOp();
  made.name = "transpose";
  made.source = plan::sourceOf(loc);
  made.shape = std::string(info(typeOf(value)).name) + " " + listText(shapeOf(value));
  return made;
}

// Adds the cost of an operand's transposes to an operation.
static void charge(EngineOperation &operation, EngineOperand &operand, int64_t flops, int64_t turns,
                   double factor) {
  operand.transposeFlops = flops;
  operand.turns = turns;
  int64_t all = multiplySaturating(flops, turns);
  operation.transposeFlops = addSaturating(operation.transposeFlops, all);
  operation.hardwareFlops = addSaturating(operation.hardwareFlops, all);
  operation.adjustedFlops += static_cast<double>(all) * factor;
}

//===- layouts as written -----------------------------------------------------------===//

namespace {
// Computes costs with layouts as written: every value is row-major. A dot or convolution transposes
// an operand unless the operand's last dimension is a free dimension. Transposes that change the
// last dimension are executed.
class WrittenTraversal {
public:
  WrittenTraversal(const RowGraph &graph, const TensorEngine &engine)
      : graph(graph), engine(engine) {}

  std::vector<EngineOperation> run(func::FuncOp main) {
    for (BlockArgument argument : main.getArguments()) {
      addGiven(argument, main.getArgAttr(argument.getArgNumber(), layoutModeAttribute));
    }
    walk(main.getBody().front(), 1);
    for (OpOperand &result : main.getBody().front().getTerminator()->getOpOperands()) {
      addResult(result, main.getResultAttr(result.getOperandNumber(), layoutModeAttribute));
    }
    return std::move(operations);
  }

private:
  const RowGraph &graph;
  const TensorEngine &engine;
  std::vector<EngineOperation> operations;
  llvm::DenseMap<Value, DimensionOrder> given; // orders of arguments not passed row-major

  static std::optional<DimensionOrder> orderOf(Attribute mode, Type type) {
    auto text = dyn_cast_or_null<StringAttr>(mode);
    auto tensor = dyn_cast<RankedTensorType>(type);
    return text && tensor && tensor.hasStaticShape()
               ? parseLayout(text.getValue(), static_cast<size_t>(tensor.getRank()))
               : std::nullopt;
  }

  // Records an argument that isn't passed row-major. Dots and convolutions read it in the order in
  // which it is passed. If it has other users, adds one transpose that makes it row-major for all
  // of them.
  void addGiven(BlockArgument argument, Attribute mode) {
    std::optional<DimensionOrder> order = orderOf(mode, argument.getType());
    if (!order) {
      return;
    }
    given[argument] = *order;
    bool hasOther = llvm::any_of(argument.getUsers(), [](Operation *user) {
      return !isa<stablehlo::DotGeneralOp, stablehlo::ConvolutionOp>(user);
    });
    if (hasOther) {
      Shape physical = physicalShape(shapeOf(argument), *order);
      addTurn(argument, physical, inverseOrder(*order), argument.getLoc(), 1);
    }
  }

  void addResult(OpOperand &result, Attribute mode) {
    if (std::optional<DimensionOrder> order = orderOf(mode, result.get().getType())) {
      addTurn(result.get(), shapeOf(result.get()), *order, result.get().getLoc(), 1);
    }
  }

  // Returns the last of `dimensions` that isn't of size one. A new dimension, written -1, counts as
  // such. If all sizes are one, returns -1, too.
  static int64_t lastOf(ArrayRef<int64_t> shape, ArrayRef<int64_t> dimensions) {
    for (int64_t dimension : llvm::reverse(dimensions)) {
      if (dimension < 0 || shape[static_cast<size_t>(dimension)] != 1) {
        return dimension;
      }
    }
    return -1;
  }

  void addProduct(Operation *op, int64_t calls) {
    EngineOperation made = productOperation(op, calls, engine);
    for (unsigned number : {0U, 1U}) {
      Value value = op->getOperand(number);
      ArrayRef<int64_t> shape = shapeOf(value);
      auto found = given.find(value);
      DimensionOrder order = found == given.end() ? rowMajorOrder(shape.size()) : found->second;
      int64_t last = lastOf(shape, order);
      DimensionRole role =
          last < 0 ? DimensionRole::Free : rolesOf(op, number)[static_cast<size_t>(last)];
      if (role == DimensionRole::Free) {
        continue;
      }
      EngineOperand &operand = number == 0 ? made.lhs : made.rhs;
      operand.layout = OperandLayout::Transposed;
      operand.reason = "the " + sideOf(number) + " operand's rows run along " +
                       (role == DimensionRole::Batch ? "a batch" : "the contracted") +
                       " dimension, and layouts are taken as written";
      charge(made, operand, operandTurnFlops(op, number, engine), calls, made.typeFactor);
    }
    operations.push_back(std::move(made));
  }

  // Adds the transpose of a row-major value whose dimensions have the sizes `before`; the result
  // has the dimension order `from`, in which -1 is a new dimension.
  void addTurn(Value value, ArrayRef<int64_t> before, ArrayRef<int64_t> from, Location loc,
               int64_t calls) {
    int64_t last = lastOf(before, rowMajorOrder(before.size())), next = lastOf(before, from);
    int64_t elements = elementsOf(value);
    // No transpose is needed if the last dimension stays last, or if only one index of the last
    // dimension is selected.
    if (next < 0 || next == last || elements == 0 || !llvm::is_contained(from, last)) {
      return;
    }
    const RowReading &reading = graph.readings.find(value)->second;
    const StridedDimension &along = reading.view.dimensions[static_cast<size_t>(last)];
    int64_t columns = graph.values[reading.value].extentAlong(along.back().stride);
    EngineOperation made = transposeOperation(value, loc);
    made.calls = calls;
    made.lhs.layout = OperandLayout::Transposed;
    made.lhs.reason = "layouts are taken as written";
    charge(made, made.lhs, traverseTransposed(engine, 1, elements / columns, columns), calls,
           typeFactor(engine, typeOf(value)));
    operations.push_back(std::move(made));
  }

  // Adds the transpose that a data movement operation needs, if any. Handles operations whose
  // result dimensions are entire dimensions of the operand, or new ones.
  void addMove(Operation &op, const IndexingMap &map, int64_t calls) {
    std::optional<SmallVector<int64_t>> from = map.operandDimensions();
    if (from && !llvm::is_contained(map.sizes(), 0)) {
      SmallVector<int64_t> read;
      for (auto [dimension, size] : llvm::zip_equal(*from, map.sizes())) {
        if (size != 1) {
          read.push_back(dimension);
        }
      }
      addTurn(op.getOperand(0), map.operandSizes(), read, op.getLoc(), calls);
    }
  }

  void walk(Block &block, int64_t calls) {
    for (Operation &op : block.without_terminator()) {
      if (auto loop = dyn_cast<stablehlo::WhileOp>(op)) {
        int64_t inside = multiplySaturating(calls, tripCount(loop).value_or(1));
        walk(loop.getCond().front(), addSaturating(inside, calls));
        walk(loop.getBody().front(), inside);
      } else if (classify(&op) == OperationClass::Control) {
        for (Region &region : op.getRegions()) {
          walk(region.front(), calls);
        }
      } else if (isa<stablehlo::DotGeneralOp, stablehlo::ConvolutionOp>(op)) {
        addProduct(&op, calls);
      } else if (std::optional<IndexingMap> map = dataMovementIndexing(&op)) {
        addMove(op, *map, calls);
      }
    }
  }
};

//===- optimized layouts ------------------------------------------------------------===//

class ChosenReport {
public:
  ChosenReport(const RowGraph &graph, const TensorEngine &engine)
      : graph(graph), engine(engine), rows(chooseRows(graph, engine)) {}

  std::vector<EngineOperation> run() {
    for (auto [op, calls] : graph.products) {
      operations.push_back(productOperation(op, calls, engine));
      numberOf[op] = operations.size() - 1;
    }
    for (const RowNeed &need : graph.needs) {
      if (need.isProduct) {
        settle(need);
      }
    }
    for (size_t value = 0; value < graph.values.size(); ++value) {
      for (const ChosenRows::Copy &copy : rows[value].copies) {
        if (!payer.contains({value, copy.row})) {
          addTranspose(value, copy);
        }
      }
    }
    return std::move(operations);
  }

private:
  const RowGraph &graph;
  const TensorEngine &engine;
  std::vector<ChosenRows> rows;
  std::vector<EngineOperation> operations;
  llvm::DenseMap<Operation *, size_t> numberOf;
  std::map<std::pair<size_t, RowStride>, size_t> payer; // the operation at which a copy is counted

  static std::optional<unsigned> argumentNumber(Value value) {
    auto argument = dyn_cast<BlockArgument>(value);
    bool isArgument = argument && isa<func::FuncOp>(argument.getOwner()->getParentOp());
    return isArgument ? std::optional(argument.getArgNumber()) : std::nullopt;
  }

  // Returns the static value that must be transposed, once before the first call, so that the rows
  // of value number `value` run along `row`. Returns null if there is none.
  const RowValue *staticBehind(size_t value, RowStride row) const {
    const RowValue &about = graph.values[value];
    bool isStatic = about.kind == RowValue::Static;
    if (isStatic && about.links.empty()) {
      return row == 1 ? nullptr : &about;
    }
    if (!isStatic && (about.kind != RowValue::Follows || row != rows[value].made)) {
      return nullptr;
    }
    for (const RowLink &link : about.links) {
      std::optional<RowStride> behind = rowBehind(link, about.shape, row);
      bool goesBack = link.from.value < value; // false for the link to a loop's next value
      const RowValue *found = behind && goesBack ? staticBehind(link.from.value, *behind) : nullptr;
      if (found) {
        return found;
      }
    }
    return nullptr;
  }

  void settle(const RowNeed &need) {
    EngineOperation &operation = operations[numberOf[need.reader]];
    EngineOperand &operand = need.operand == 0 ? operation.lhs : operation.rhs;
    const RowValue &about = graph.values[need.value];
    std::string name = "the " + sideOf(need.operand) + " operand";
    if (elementsOf(need.reader->getOperand(need.operand)) <= 1) {
      return;
    }
    bool isStatic = about.kind == RowValue::Static;
    if (isStatic && !need.isMetBy(1)) {
      operand.layout = OperandLayout::Static;
      operand.reason = name + " is static: it is transposed once, before the first call";
      return;
    }
    if (isStatic || need.isMetBy(rows[need.value].made)) {
      RowStride lies = isStatic ? 1 : rows[need.value].made;
      if (const RowValue *found = staticBehind(need.value, lies)) {
        bool isArgument = argumentNumber(found->value).has_value();
        operand.layout = OperandLayout::Static;
        operand.reason =
            name + " is computed from " +
            (isArgument ? argumentText(cast<BlockArgument>(found->value)).text : "a value") +
            ", which is static: it is transposed once, before the first call";
      }
      return;
    }
    for (const ChosenRows::Copy &copy : rows[need.value].copies) {
      if (need.isMetBy(copy.row)) {
        readCopy(need, copy, operation, operand);
        return;
      }
    }
  }

  void readCopy(const RowNeed &need, const ChosenRows::Copy &copy, EngineOperation &operation,
                EngineOperand &operand) {
    const RowValue &about = graph.values[need.value];
    std::string name = "the " + sideOf(need.operand) + " operand";
    operand.argument = argumentNumber(about.value);
    auto [paid, isFirst] = payer.try_emplace({need.value, copy.row}, numberOf[need.reader]);
    if (!isFirst) {
      const EngineOperation &first = operations[paid->second];
      operand.layout = OperandLayout::Shared;
      operand.reason = name + " is transposed already, for `" + first.name + "`" +
                       (first.source.empty() ? "" : " at " + first.source);
      return;
    }
    operand.layout = OperandLayout::Transposed;
    operand.reason = name + "'s rows run along " +
                     (need.contracts(rows[need.value].made) ? "the contracted" : "a batch") +
                     " dimension";
    if (operand.argument) {
      auto argument = cast<BlockArgument>(about.value);
      operand.reason += ", and " + argumentText(argument).text + " may differ at every call";
      operand.remedy = argumentRemedy(need.reader, need.operand, argument);
    } else {
      operand.reason += ", and it is computed at every call";
      operand.remedy = need.isProduct ? staticRemedy(need.reader, need.operand) : "";
    }
    operand.reason += operand.remedy.empty() ? "" : "; to avoid it: " + operand.remedy;
    charge(operation, operand, copy.flops, about.calls, operation.typeFactor);
  }

  // Adds the transpose for a copy that isn't counted at a dot or convolution.
  void addTranspose(size_t value, const ChosenRows::Copy &copy) {
    const RowValue &about = graph.values[value];
    EngineOperation made = transposeOperation(about.value, about.value.getLoc());
    made.lhs.reason = "an operation that uses it needs another dimension order";
    for (const RowNeed &need : graph.needs) {
      if (need.value == value && !need.isProduct && need.isMetBy(copy.row)) {
        bool isResult = isa<func::ReturnOp>(need.reader);
        made.lhs.reason =
            isResult ? "result " + std::to_string(need.operand) + " is returned in another order"
                     : "`" + need.reader->getName().getStringRef().str() + "` reads it row-major";
        made.source = isResult ? made.source : plan::sourceOf(need.reader->getLoc());
        break;
      }
    }
    made.calls = about.calls;
    made.lhs.layout = OperandLayout::Transposed;
    charge(made, made.lhs, copy.flops, about.calls, typeFactor(engine, typeOf(about.value)));
    operations.push_back(std::move(made));
  }
};
} // namespace

// Sorts by hardware FLOPs, most first; ties in program order.
static void sortByFlops(std::vector<EngineOperation> &operations) {
  std::vector<size_t> order(operations.size());
  std::iota(order.begin(), order.end(), 0);
  llvm::sort(order, [&](size_t a, size_t b) {
    int64_t left = operations[a].hardwareFlops, right = operations[b].hardwareFlops;
    return left != right ? left > right : a < b;
  });
  std::vector<EngineOperation> sorted;
  for (size_t number : order) {
    sorted.push_back(std::move(operations[number]));
  }
  operations = std::move(sorted);
}

EngineCost engineCost(ModuleOp module, const TensorEngine &engine, const EngineOptions &options) {
  EngineCost made;
  auto main = module.lookupSymbol<func::FuncOp>("main");
  if (!main || main.isExternal()) {
    return made;
  }
  RowGraph graph = buildRowGraph(module);
  made.operations = options.asWritten ? WrittenTraversal(graph, engine).run(main)
                                      : ChosenReport(graph, engine).run();
  for (const EngineOperation &each : made.operations) {
    made.modelFlops = addSaturating(made.modelFlops, each.modelFlops);
    made.hardwareFlops = addSaturating(made.hardwareFlops, each.hardwareFlops);
    made.transposeFlops = addSaturating(made.transposeFlops, each.transposeFlops);
    made.adjustedFlops += each.adjustedFlops;
  }
  sortByFlops(made.operations);
  made.bytes = planCost(module).total.askedBytes();
  return made;
}

} // namespace drumlin
