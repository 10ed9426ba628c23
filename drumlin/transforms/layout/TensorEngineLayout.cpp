#include "drumlin/transforms/layout/TensorEngineLayout.h"

#include "drumlin/ir/plan/Cost.h"
#include "drumlin/ir/plan/Layouts.h"
#include "drumlin/ir/plan/OperationClasses.h"
#include "drumlin/ir/plan/Origin.h"
#include "drumlin/ir/plan/Slots.h"
#include "drumlin/ir/plan/TripCount.h"
#include "drumlin/ir/plan/Work.h"
#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "llvm/ADT/DenseMap.h"

#include <algorithm>
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

// What a dimension of an operand is for the product.
enum class Role { Batch, Free, Contracted };
using Roles = SmallVector<Role>;

static ElementType typeOf(Value value) {
  return elementTypeOf(getElementTypeOrSelf(value.getType()));
}

static Roles rolesOf(Operation *op, unsigned number) {
  Roles roles(shapeOf(op->getOperand(number)).size(), Role::Free);
  auto set = [&](ArrayRef<int64_t> dimensions, Role role) {
    for (int64_t dimension : dimensions) {
      roles[static_cast<size_t>(dimension)] = role;
    }
  };
  if (auto dot = dyn_cast<stablehlo::DotGeneralOp>(op)) {
    auto numbers = dot.getDotDimensionNumbers();
    set(number == 0 ? numbers.getLhsBatchingDimensions() : numbers.getRhsBatchingDimensions(),
        Role::Batch);
    set(number == 0 ? numbers.getLhsContractingDimensions() : numbers.getRhsContractingDimensions(),
        Role::Contracted);
    return roles;
  }
  auto numbers = cast<stablehlo::ConvolutionOp>(op).getDimensionNumbers();
  if (number == 0) {
    set({numbers.getInputFeatureDimension()}, Role::Contracted);
  } else {
    set({numbers.getKernelInputFeatureDimension()}, Role::Contracted);
    set(numbers.getKernelSpatialDimensions(), Role::Contracted);
  }
  return roles;
}

// Whether rows of the operand run along what is contracted, so that it lies on the free dimension.
static bool runsAlongContracted(ArrayRef<int64_t> shape, const Roles &roles) {
  for (size_t d = shape.size(); d-- > 0;) {
    if (shape[d] != 1) {
      return roles[d] == Role::Contracted;
    }
  }
  return false;
}

// tf32 takes the time of bf16, where the program asks for it.
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

namespace {
class EngineWalk {
public:
  EngineWalk(ModuleOp module, const TensorEngine &engine, const EngineOptions &options)
      : module(module), engine(engine), options(options) {}

  EngineCost run() {
    auto main = module.lookupSymbol<func::FuncOp>("main");
    if (!main || main.isExternal()) {
      return {};
    }
    markStatic(main);
    walk(main.getBody().front(), 1);
    std::vector<size_t> order(made.operations.size());
    std::iota(order.begin(), order.end(), 0);
    llvm::sort(order, [&](size_t a, size_t b) {
      int64_t left = made.operations[a].hardwareFlops, right = made.operations[b].hardwareFlops;
      return left != right ? left > right : a < b;
    });
    std::vector<EngineOperation> sorted;
    for (size_t number : order) {
      sorted.push_back(std::move(made.operations[number]));
    }
    made.operations = std::move(sorted);
    for (const EngineOperation &each : made.operations) {
      made.modelFlops = addSaturating(made.modelFlops, each.modelFlops);
      made.hardwareFlops = addSaturating(made.hardwareFlops, each.hardwareFlops);
      made.transposeFlops = addSaturating(made.transposeFlops, each.transposeFlops);
      made.adjustedFlops += each.adjustedFlops;
    }
    made.bytes = planCost(module).total.askedBytes();
    return std::move(made);
  }

private:
  void markStatic(func::FuncOp main) {
    size_t passed = main.getNumArguments() - weightCount(main);
    for (BlockArgument argument : main.getArguments()) {
      size_t number = argument.getArgNumber();
      if (number >= passed || main.getArgAttr(argument.getArgNumber(), staticAttribute)) {
        constant.insert(argument);
      }
    }
  }

  // The same at every call: made of static arguments and constants alone.
  bool isStatic(Value value) {
    if (constant.contains(value)) {
      return true;
    }
    Operation *op = value.getDefiningOp();
    return op && constant.contains(op->getResult(0));
  }

  // Follows a value to the memory that its layout is chosen for. Layouts of what is only turned or
  // converted between are free to choose, unless they are taken as written.
  Value sourceOf(Value value, Roles &roles) const {
    while (!options.asWritten) {
      Operation *op = value.getDefiningOp();
      if (auto transpose = dyn_cast_or_null<stablehlo::TransposeOp>(op)) {
        Roles before = roles;
        for (auto [d, from] : llvm::enumerate(transpose.getPermutation())) {
          before[static_cast<size_t>(from)] = roles[d];
        }
        roles = before;
      } else if (!isa_and_nonnull<stablehlo::ConvertOp>(op)) {
        return value;
      }
      value = op->getOperand(0);
    }
    return value;
  }

  // Dimensions of a value that lie on partitions because a product left them there.
  bool liesOnPartitions(Value value, const Roles &roles) const {
    auto found = onPartitions.find(value);
    if (options.asWritten || found == onPartitions.end()) {
      return false;
    }
    for (size_t d = 0; d < roles.size(); ++d) {
      bool isThere = found->second[d];
      if (shapeOf(value)[d] != 1 && isThere != (roles[d] == Role::Contracted) &&
          roles[d] != Role::Batch) {
        return false;
      }
    }
    return true;
  }

  EngineOperand layoutOf(Operation *op, unsigned number, bool &turns) {
    EngineOperand operand;
    Roles roles = rolesOf(op, number);
    Value source = sourceOf(op->getOperand(number), roles);
    turns = runsAlongContracted(shapeOf(source), roles);
    if (auto found = onPartitions.find(source); !options.asWritten && found != onPartitions.end()) {
      turns = !liesOnPartitions(source, roles);
    }
    if (!turns) {
      return operand;
    }
    std::string side = number == 0 ? "left" : "right";
    if (!options.asWritten && isStatic(source)) {
      turns = false;
      operand.layout = OperandLayout::Static;
      operand.reason =
          "the " + side + " operand is static: it is turned once, before the first call";
      return operand;
    }
    operand.layout = OperandLayout::Turned;
    operand.reason = "the " + side + " operand's rows run along the contracted dimension";
    if (options.asWritten) {
      operand.reason += ", and layouts are taken as written";
      return operand;
    }
    auto argument = dyn_cast<BlockArgument>(source);
    bool isArgument = argument && isa<func::FuncOp>(argument.getOwner()->getParentOp());
    if (isArgument) {
      operand.reason += ", and argument " + std::to_string(argument.getArgNumber()) +
                        " may differ at every call; to avoid it: make it static (`--static-args " +
                        std::to_string(argument.getArgNumber()) +
                        "`) or pass it with that dimension first";
    } else {
      operand.reason += ", and it is computed at every call";
    }
    return operand;
  }

  void addProduct(Operation *op, int64_t calls) {
    ContractionShape shape = contractionShape(op);
    EngineOperation made;
    EngineProduct product{shape.batch, shape.m, shape.n, shape.k, false, false};
    made.lhs = layoutOf(op, 0, product.turnsLhs);
    made.rhs = layoutOf(op, 1, product.turnsRhs);
    EngineFlops flops = walkTiles(engine, product);
    made.lhs.transposeFlops = flops.turnLhs;
    made.rhs.transposeFlops = flops.turnRhs;
    ElementType lhs = typeOf(op->getOperand(0)), rhs = typeOf(op->getOperand(1));
    ElementType wider = info(lhs).bits >= info(rhs).bits ? lhs : rhs;
    std::string batch = shape.batch == 1 ? "" : std::to_string(shape.batch) + " of ";
    made.shape = std::string(info(wider).name) + " " + batch + listText({shape.m, shape.k}) +
                 " x " + listText({shape.k, shape.n});
    made.modelFlops = multiplySaturating(calls, multiplySaturating(2, multiplyAdds(op)));
    made.hardwareFlops = multiplySaturating(calls, flops.hardware());
    made.transposeFlops = multiplySaturating(calls, flops.transposes());
    made.adjustedFlops =
        static_cast<double>(made.hardwareFlops) * (usesTf32(op) ? 1 : typeFactor(engine, wider));
    // What is stationary decides which dimensions come out on partitions: its free ones.
    if (auto dot = dyn_cast<stablehlo::DotGeneralOp>(op)) {
      size_t batches = dot.getDotDimensionNumbers().getLhsBatchingDimensions().size();
      size_t lhsFree = dot.getLhsFreeDimensions().size();
      SmallVector<bool> there(shapeOf(dot.getResult()).size(), false);
      for (size_t d = batches; d < there.size(); ++d) {
        there[d] = flops.holdsRhs == (d >= batches + lhsFree);
      }
      onPartitions[dot.getResult()] = there;
    }
    finish(op, calls, std::move(made));
  }

  // A transpose that no product takes over, where the last dimension moves.
  void addTranspose(stablehlo::TransposeOp op, int64_t calls) {
    ArrayRef<int64_t> shape = shapeOf(op.getOperand());
    ArrayRef<int64_t> permutation = op.getPermutation();
    bool isTaken = !options.asWritten && llvm::all_of(op->getUsers(), [](Operation *user) {
      return isa<stablehlo::DotGeneralOp, stablehlo::ConvolutionOp, stablehlo::TransposeOp>(user);
    });
    auto last = static_cast<int64_t>(shape.size()) - 1;
    if (isTaken || isStatic(op.getResult()) || shape.empty() || permutation.back() == last) {
      return;
    }
    int64_t rows = shape[static_cast<size_t>(permutation.back())];
    int64_t columns = shape.back();
    int64_t elements = cast<RankedTensorType>(op.getOperand().getType()).getNumElements();
    if (rows <= 1 || columns <= 1) {
      return;
    }
    EngineOperation made;
    made.shape = std::string(info(typeOf(op.getOperand())).name) + " " + listText(shape);
    made.transposeFlops = multiplySaturating(
        calls, walkTranspose(engine, elements / (rows * columns), rows, columns));
    made.hardwareFlops = made.transposeFlops;
    made.adjustedFlops =
        static_cast<double>(made.hardwareFlops) * typeFactor(engine, typeOf(op.getOperand()));
    made.lhs.layout = OperandLayout::Turned;
    made.lhs.transposeFlops = made.transposeFlops / std::max<int64_t>(calls, 1);
    made.lhs.reason = options.asWritten ? "layouts are taken as written"
                                        : "something other than a product reads it in this order";
    finish(op, calls, std::move(made));
  }

  void finish(Operation *op, int64_t calls, EngineOperation operation) {
    operation.name = op->getName().getStringRef().str();
    operation.source = plan::sourceOf(op->getLoc());
    operation.calls = calls;
    made.operations.push_back(std::move(operation));
  }

  void walk(Block &block, int64_t calls) {
    for (Operation &op : block.without_terminator()) {
      if (auto loop = dyn_cast<stablehlo::WhileOp>(op)) {
        int64_t trips = tripCount(loop).value_or(1);
        int64_t inside = multiplySaturating(calls, trips);
        walk(loop.getCond().front(), addSaturating(inside, calls));
        walk(loop.getBody().front(), inside);
        continue;
      }
      if (classify(&op) == OperationClass::Control) {
        for (Region &region : op.getRegions()) {
          walk(region.front(), calls);
        }
        continue;
      }
      bool isMadeOfStatic = op.getNumRegions() == 0 && op.getNumResults() == 1 &&
                            llvm::all_of(op.getOperands(), [&](Value v) { return isStatic(v); });
      if (isMadeOfStatic && !options.asWritten) {
        constant.insert(op.getResult(0));
      }
      if (isa<stablehlo::DotGeneralOp, stablehlo::ConvolutionOp>(op)) {
        addProduct(&op, calls);
      } else if (auto transpose = dyn_cast<stablehlo::TransposeOp>(op)) {
        addTranspose(transpose, calls);
      } else if (classify(&op) == OperationClass::Pointwise) {
        // The result lies as its operands do, if one of them came from a product.
        for (Value operand : op.getOperands()) {
          auto found = onPartitions.find(operand);
          if (found != onPartitions.end() && shapeOf(operand) == shapeOf(op.getResult(0))) {
            SmallVector<bool> there = found->second;
            onPartitions[op.getResult(0)] = there;
            break;
          }
        }
      }
    }
  }

  ModuleOp module;
  const TensorEngine &engine;
  const EngineOptions &options;
  EngineCost made;
  llvm::DenseSet<Value> constant;
  llvm::DenseMap<Value, SmallVector<bool>> onPartitions;
};
} // namespace

EngineCost engineCost(ModuleOp module, const TensorEngine &engine, const EngineOptions &options) {
  return EngineWalk(module, engine, options).run();
}

} // namespace drumlin
