#include "drumlin/transforms/Contracts.h"

#include "drumlin/ir/chlo/ChloOps.h"
#include "drumlin/ir/plan/ArenaSlots.h"
#include "drumlin/ir/plan/BitcastOp.h"
#include "drumlin/ir/plan/BufferAssignment.h"
#include "drumlin/ir/plan/CopyOp.h"
#include "drumlin/ir/plan/Epilogue.h"
#include "drumlin/ir/plan/KernelOp.h"
#include "drumlin/ir/plan/LaunchOp.h"
#include "drumlin/ir/plan/Layouts.h"
#include "drumlin/ir/plan/LibraryCallOp.h"
#include "drumlin/ir/plan/OperationClasses.h"
#include "drumlin/ir/plan/YieldOp.h"
#include "drumlin/ir/sizes/InstantiateSizes.h"
#include "drumlin/ir/stablehlo/CompositeOp.h"
#include "drumlin/ir/stablehlo/ConstantOp.h"
#include "drumlin/ir/stablehlo/ImagOp.h"
#include "drumlin/ir/stablehlo/RealOp.h"
#include "drumlin/ir/stablehlo/ReshapeOp.h"
#include "drumlin/transforms/KernelFormation.h"
#include "drumlin/transforms/MemoryContract.h"
#include "drumlin/transforms/layout/LayoutProblem.h"
#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/IR/SymbolTable.h"

using namespace mlir;

namespace drumlin {

// Maximum operations per kernel, since some traversals of a kernel's region are recursive. Fusion
// stops at maxKernelOperations, but later passes add constants and transposes to a kernel.
static constexpr int64_t maxOutlinedOperations = 64 * static_cast<int64_t>(maxKernelOperations);

// Visits the operations that are not inside kernels.
static std::optional<Violation>
walkOutsideKernels(ModuleOp module,
                   llvm::function_ref<std::optional<std::string>(Operation *)> problem) {
  std::optional<Violation> violation;
  module.walk<WalkOrder::PreOrder>([&](Operation *op) {
    if (std::optional<std::string> found = problem(op)) {
      violation = Violation{op, *found};
      return WalkResult::interrupt();
    }
    bool isKernel = plan::kernelKindOf(op) || isa<plan::KernelOp>(op);
    // Skips the regions of kernels, and of operations that no kernel can contain.
    bool isForeign = classify(op) == OperationClass::Other && !isa<ModuleOp, func::FuncOp>(op);
    return isKernel || isForeign ? WalkResult::skip() : WalkResult::advance();
  });
  return violation;
}

static std::optional<Violation> checkNoCalls(ModuleOp module) {
  return walkOutsideKernels(module, [](Operation *op) -> std::optional<std::string> {
    if (isa<func::CallOp, stablehlo::CompositeOp>(op)) {
      return "a call remains";
    }
    return std::nullopt;
  });
}

static std::optional<Violation> checkSizesKnown(ModuleOp module) {
  Operation *op = findUnknownSizes(module);
  return op ? std::optional(Violation{op, "a value's type lacks a size"}) : std::nullopt;
}

static std::optional<Violation> checkNothingQuantized(ModuleOp module) {
  std::optional<Violation> violation;
  auto isIn = [](TypeRange types) {
    return llvm::any_of(types, [](Type type) {
      auto found = [](quant::QuantizedType) { return WalkResult::interrupt(); };
      return isa<RankedTensorType>(type) ? stablehlo::isQuantized(type)
                                         : type.walk(found).wasInterrupted();
    });
  };
  module.walk<WalkOrder::PreOrder>([&](Operation *op) {
    bool isQuantized = isIn(op->getResultTypes());
    for (Region &region : op->getRegions()) {
      for (Block &block : region) {
        isQuantized |= isIn(block.getArgumentTypes());
      }
    }
    if (isQuantized) {
      violation = Violation{op, "a value is quantized"};
    }
    return isQuantized ? WalkResult::interrupt() : WalkResult::advance();
  });
  return violation;
}

// Finds a violation in a kernel. Code generation assumes that the kernel has exactly one hero, of
// the kernel's kind, and otherwise only operations that it can compute elementwise.
static std::optional<Violation> findBadKernel(Operation *kernel, plan::KernelKind kind) {
  Block &region = kernel->getRegion(0).front();
  if (region.empty() || !isa<plan::YieldOp>(region.back())) {
    return Violation{kernel, "a kernel doesn't end with `plan.yield`"};
  }
  Operation *hero = nullptr;
  for (Operation &op : region.without_terminator()) {
    bool isHero = plan::kernelKindOfHero(&op) == kind;
    if (isHero ? hero != nullptr : !isFusible(&op)) {
      return Violation{&op, "`" + op.getName().getStringRef().str() +
                                "` can't be in this kernel of kind `" +
                                plan::stringifyKernelKind(kind).str() + "`"};
    }
    hero = isHero ? &op : hero;
  }
  std::string name = plan::stringifyKernelKind(kind).str();
  if (!hero && kind != plan::KernelKind::loop) {
    return Violation{kernel, "a kernel of kind `" + name + "` has no hero"};
  }
  bool yieldsAnything = kind == plan::KernelKind::loop || plan::hasEpilogue(kind);
  for (Value yielded : region.back().getOperands()) {
    Operation *made = yielded.getDefiningOp();
    bool isPart = isa_and_nonnull<stablehlo::RealOp, stablehlo::ImagOp>(made);
    made = isPart ? made->getOperand(0).getDefiningOp() : made;
    if (!yieldsAnything && made != hero) {
      return Violation{kernel,
                       "a kernel of kind `" + name + "` yields other values than its hero's"};
    }
  }
  if (llvm::range_size(region) > maxOutlinedOperations) {
    return Violation{kernel, "a kernel has more than " + std::to_string(maxOutlinedOperations) +
                                 " operations"};
  }
  return std::nullopt;
}

static std::optional<Violation> checkHeroesInKernels(ModuleOp module) {
  std::optional<Violation> violation =
      walkOutsideKernels(module, [](Operation *op) -> std::optional<std::string> {
        if (classify(op) == OperationClass::Hero) {
          return "`" + op->getName().getStringRef().str() + "` is outside a kernel";
        }
        return std::nullopt;
      });
  module.walk([&](Operation *op) {
    auto symbol = dyn_cast<plan::KernelOp>(op);
    std::optional<plan::KernelKind> kind = symbol ? symbol.getKind() : plan::kernelKindOf(op);
    if (kind && !violation) {
      violation = findBadKernel(op, *kind);
    }
    return violation ? WalkResult::interrupt() : WalkResult::advance();
  });
  return violation;
}

// Checks kernel-forming operations, and kernels that are already symbols.
static std::optional<Violation> checkEpilogues(ModuleOp module) {
  std::optional<Violation> violation;
  module.walk([&](Operation *op) {
    std::optional<plan::KernelKind> kind = plan::kernelKindOf(op);
    if (auto kernel = dyn_cast<plan::KernelOp>(op)) {
      kind = kernel.getKind();
    }
    // The verifier of a library call checks the call's epilogue against the library's table.
    if (!kind || isa<plan::LibraryCallOp>(op)) {
      return WalkResult::advance();
    }
    if (std::optional<EpilogueProblem> problem =
            findEpilogueProblem(*kind, op->getRegion(0).front())) {
      violation = Violation{problem->op, problem->what};
      return WalkResult::interrupt();
    }
    return WalkResult::advance();
  });
  return violation;
}

static std::optional<Violation> checkAllInKernels(ModuleOp module) {
  return walkOutsideKernels(module, [](Operation *op) -> std::optional<std::string> {
    bool allowed = isa<stablehlo::ConstantOp, stablehlo::ReshapeOp>(op) || !isFusible(op);
    if (!allowed) {
      return "`" + op->getName().getStringRef().str() + "` is outside a kernel";
    }
    return std::nullopt;
  });
}

static std::optional<Violation> checkReshapesAreBitcasts(ModuleOp module) {
  return walkOutsideKernels(module, [](Operation *op) -> std::optional<std::string> {
    if (isa<stablehlo::ReshapeOp>(op)) {
      return "a reshape between kernels is no bitcast";
    }
    return std::nullopt;
  });
}

// Checks that a bitcast is a reshape from its operand's type to its own type that moves no byte.
static std::optional<Violation> checkBitcasts(ModuleOp module) {
  return walkOutsideKernels(module, [](Operation *op) -> std::optional<std::string> {
    auto bitcast = dyn_cast<plan::BitcastOp>(op);
    if (!bitcast) {
      return std::nullopt;
    }
    if (!bitcast.getFromShape() || !bitcast.getFromOrder() || !bitcast.getToShape() ||
        !bitcast.getToOrder()) {
      return "a bitcast lacks its shapes or orders";
    }
    ArrayRef<int64_t> from = *bitcast.getFromShape(), fromOrder = *bitcast.getFromOrder(),
                      to = *bitcast.getToShape(), toOrder = *bitcast.getToOrder();
    auto isOrderOf = [](ArrayRef<int64_t> order, ArrayRef<int64_t> shape) {
      SmallVector<int64_t> sorted(order);
      llvm::sort(sorted);
      return llvm::equal(sorted, llvm::seq<int64_t>(0, static_cast<int64_t>(shape.size())));
    };
    if (!isOrderOf(fromOrder, from) || !isOrderOf(toOrder, to) ||
        Shape(shapeOf(bitcast.getOperand())) != physicalShape(from, fromOrder) ||
        Shape(shapeOf(bitcast.getResult())) != physicalShape(to, toOrder) ||
        !reshapeIsBitcast(from, fromOrder, to, toOrder, op->getContext())) {
      return "a bitcast doesn't match its shapes and orders";
    }
    return std::nullopt;
  });
}

static std::optional<Violation> checkRowMajor(ModuleOp module) {
  return walkOutsideKernels(module, [](Operation *op) -> std::optional<std::string> {
    if (op->hasAttr(layoutsAttribute)) {
      return "a value has a layout attribute besides its type";
    }
    if (op->hasAttr(assignedAttribute)) {
      return "layouts were assigned, but types still have the program's shapes";
    }
    return std::nullopt;
  });
}

// Returns whether the chosen layout is the one that the caller requests.
static bool isHonoured(Attribute asked, Attribute chosen, Type type) {
  auto mode = dyn_cast_or_null<StringAttr>(asked);
  auto tensor = dyn_cast<RankedTensorType>(type);
  std::optional<DimensionOrder> order =
      mode && tensor ? parseLayout(mode.getValue(), static_cast<size_t>(tensor.getRank()))
                     : std::nullopt;
  if (!order) {
    return true; // `auto`, or no request (row-major, without an attribute)
  }
  auto layout = dyn_cast_or_null<plan::LayoutAttr>(chosen);
  DimensionOrder made = layout ? orderOf(layout) : rowMajorOrder(order->size());
  // Before normalization, the type has the program's shape; after it, the shape in memory.
  return haveSameBytes(tensor.getShape(), *order, made) ||
         haveSameBytes(logicalShape(type, made), *order, made);
}

static std::optional<Violation> checkCallerLayouts(ModuleOp module) {
  for (auto function : module.getOps<func::FuncOp>()) {
    for (unsigned i = 0; i < function.getNumArguments(); ++i) {
      if (!isHonoured(function.getArgAttr(i, layoutModeAttribute),
                      function.getArgAttr(i, layoutAttribute), function.getArgumentTypes()[i])) {
        return Violation{function,
                         "argument " + std::to_string(i) + " doesn't have the requested layout"};
      }
    }
    for (unsigned i = 0; i < function.getNumResults(); ++i) {
      if (!isHonoured(function.getResultAttr(i, layoutModeAttribute),
                      function.getResultAttr(i, layoutAttribute), function.getResultTypes()[i])) {
        return Violation{function,
                         "result " + std::to_string(i) + " doesn't have the requested layout"};
      }
    }
  }
  return std::nullopt;
}

static std::optional<Violation> checkKernelsScheduled(ModuleOp module) {
  std::optional<Violation> violation;
  module.walk([&](Operation *op) {
    bool isKernel = isa<plan::KernelOp>(op) || plan::kernelKindOf(op);
    if (isKernel && !plan::scheduleOf(op)) {
      violation = Violation{op, "a kernel has no schedule"};
      return WalkResult::interrupt();
    }
    return WalkResult::advance();
  });
  return violation;
}

static std::optional<Violation> checkKernelsOutlined(ModuleOp module) {
  llvm::DenseSet<StringAttr> keys;
  SymbolTable symbols(module);
  for (auto kernel : module.getOps<plan::KernelOp>()) {
    if (!keys.insert(kernel.getKeyAttr()).second) {
      return Violation{kernel, "two kernels have the same key"};
    }
  }
  return walkOutsideKernels(module, [&](Operation *op) -> std::optional<std::string> {
    if (plan::kernelKindOf(op) && !isa<plan::LibraryCallOp>(op)) {
      return "a kernel is not outlined";
    }
    auto launch = dyn_cast<plan::LaunchOp>(op);
    if (!launch) {
      return std::nullopt;
    }
    auto kernel = symbols.lookup<plan::KernelOp>(launch.getKernel());
    if (!kernel) {
      return "a launch names no kernel";
    }
    Block &body = kernel.getBody().front();
    if (!llvm::equal(body.getArgumentTypes(), launch.getOperandTypes()) ||
        !llvm::equal(body.getTerminator()->getOperandTypes(), launch.getResultTypes())) {
      return "the types of a launch differ from those of its kernel";
    }
    return std::nullopt;
  });
}

//===- buffers ----------------------------------------------------------------===//

namespace {
// The arena that the function's attributes describe: a static part, followed by the slots.
class ArenaParts {
public:
  explicit ArenaParts(func::FuncOp function) : slots(arenaSlotsOf(function)) {
    std::vector<SizeSymbol> symbols = sizeSymbolsOf(function);
    std::vector<SizeConstraint> constraints = sizeConstraintsOf(function);
    calls = {nominalValues(symbols), otherValues(symbols, constraints, OtherSizes::Larger),
             otherValues(symbols, constraints, OtherSizes::Smaller)};
    int64_t arenaBytes = function->getAttrOfType<IntegerAttr>(arenaBytesAttribute).getInt();
    staticBytes = arenaBytes;
    for (const SizeExpression &slot : slots) {
      int64_t bytes = slot.evaluate(calls.front()).value_or(-1);
      // An invalid or too large slot size leaves no room for any value.
      staticBytes = bytes < 0 || bytes > staticBytes ? -1 : staticBytes - bytes;
    }
  }

  bool holds(plan::BufferAttr buffer, RankedTensorType type) const {
    if (staticBytes < 0 || buffer.getIndex() < 0 || buffer.getOffset() < 0) {
      return false;
    }
    if (buffer.getIndex() == 0) {
      return !hasSymbolicSizes(type) && buffer.getSize() <= staticBytes &&
             buffer.getOffset() <= staticBytes - buffer.getSize();
    }
    if (std::cmp_greater(buffer.getIndex(), slots.size())) {
      return false;
    }
    const SizeExpression &slot = slots[static_cast<size_t>(buffer.getIndex() - 1)];
    SizeExpression bytes = symbolicBytesOf(type);
    return llvm::all_of(calls, [&](const SizeExpression::Values &values) {
      std::optional<int64_t> held = slot.evaluate(values), needed = bytes.evaluate(values);
      return held && needed && *needed <= *held;
    });
  }

private:
  std::vector<SizeExpression> slots;
  int64_t staticBytes = 0; // negative: the slots don't fit into the arena
  std::vector<SizeExpression::Values> calls;
};
} // namespace

// Returns whether the buffer is inside the memory of a result. This memory holds other values
// before the result is written.
static bool isInResult(plan::BufferAttr buffer, func::FuncOp function) {
  if (buffer.getIndex() < 0 ||
      std::cmp_greater_equal(buffer.getIndex(), function.getNumResults())) {
    return false;
  }
  auto type =
      cast<RankedTensorType>(function.getResultTypes()[static_cast<unsigned>(buffer.getIndex())]);
  int64_t whole = byteSizeOf(type).value_or(0);
  return buffer.getOffset() >= 0 && buffer.getSize() <= whole &&
         buffer.getOffset() <= whole - buffer.getSize();
}

// Checks that each result of `op` has a buffer of the result's size, inside the memory that the
// buffer names.
static std::optional<std::string> findBadBuffer(Operation *op, func::FuncOp function,
                                                const ArenaParts &arena) {
  auto buffers = op->getAttrOfType<ArrayAttr>(buffersAttribute);
  if (!buffers || buffers.size() != op->getNumResults()) {
    return "a value has no memory";
  }
  for (auto [result, attribute] : llvm::zip(op->getResults(), buffers)) {
    auto buffer = dyn_cast<plan::BufferAttr>(attribute);
    auto type = cast<RankedTensorType>(result.getType());
    std::optional<int64_t> bytes = byteSizeOf(type);
    if (!buffer || buffer.getSize() != bytes) {
      return "a value and its memory differ in size";
    }
    bool inResult = isInResult(buffer, function);
    bool isConstant = isa<stablehlo::ConstantOp>(op);
    bool inside = isConstant ? buffer.getKind() == plan::BufferKind::weight
                  : buffer.getKind() == plan::BufferKind::arena  ? arena.holds(buffer, type)
                  : buffer.getKind() == plan::BufferKind::result ? inResult
                                                                 : false;
    if (!inside) {
      return "a value lies outside the memory that its buffer names";
    }
  }
  return std::nullopt;
}

static std::optional<Violation> checkBuffers(ModuleOp module) {
  SymbolTable symbols(module);
  for (auto function : module.getOps<func::FuncOp>()) {
    auto arena = function->getAttrOfType<IntegerAttr>(arenaBytesAttribute);
    if (!arena || !arena.getType().isSignlessInteger(64) || arena.getInt() < 0) {
      return Violation{function, "the arena has no size"};
    }
    ArenaParts parts(function);
    auto nextWeight = static_cast<int64_t>(weightCount(function));
    std::optional<Violation> missing =
        walkOutsideKernels(module, [&](Operation *op) -> std::optional<std::string> {
          bool needsBuffers = op->getNumResults() != 0 && !isa<plan::BitcastOp>(op);
          std::optional<std::string> bad =
              needsBuffers ? findBadBuffer(op, function, parts) : std::nullopt;
          // The image's table of weights lists constants in order.
          if (!bad && isa<stablehlo::ConstantOp>(op) &&
              bufferOf(op->getResult(0)).getIndex() != nextWeight++) {
            return "a constant is out of order in the table of weights";
          }
          auto copy = dyn_cast<plan::CopyOp>(op);
          if (!bad && copy && bytesOf(copy.getOperand()) != bytesOf(copy.getResult())) {
            return "a copy and its operand differ in size";
          }
          return bad;
        });
    if (missing) {
      return missing;
    }
    if (std::optional<Violation> violation = checkMemory(function, symbols)) {
      return violation;
    }
  }
  return std::nullopt;
}

const std::vector<Contract> &allContracts() {
  static const std::vector<Contract> contracts = {
      {"no-calls", "the program has no calls", "inline-calls", checkNoCalls},
      {"sizes-known", "every type has static sizes, nominal ones for dynamic dimensions",
       "resolve-sizes", checkSizesKnown},
      {"nothing-quantized", "no value has quantized elements", "lower-quantized",
       checkNothingQuantized},
      {"heroes-in-kernels", "dots, convolutions, sorts and scatters are in kernels", "gemm-rewrite",
       checkHeroesInKernels},
      {"epilogues-in-order",
       "operations after a hero in its kernel compute from one element of its result",
       "gemm-rewrite", checkEpilogues},
      {"all-in-kernels", "outside kernels are only control flow, reshapes and constants",
       "loop-fusion", checkAllInKernels},
      {"caller-layouts", "arguments and results have the layouts that the caller requests",
       "assign-layouts", checkCallerLayouts},
      {"reshapes-are-bitcasts", "every reshape between kernels is a bitcast", "normalize-layouts",
       checkReshapesAreBitcasts},
      {"bitcasts-move-nothing", "every bitcast names its reshape, and moves no byte",
       "normalize-layouts", checkBitcasts},
      {"row-major", "outside kernels every type is the value's shape in memory",
       "normalize-layouts", checkRowMajor},
      {"kernels-scheduled", "every kernel says how it runs", "select-schedules",
       checkKernelsScheduled},
      {"kernels-outlined", "each distinct kernel is one symbol, and launches have its types",
       "outline-kernels", checkKernelsOutlined},
      {"buffers-hold",
       "no value's memory is reused while it is needed, and results are in their own buffers",
       "assign-buffers", checkBuffers},
  };
  return contracts;
}

const Contract *findContract(std::string_view name) {
  for (const Contract &contract : allContracts()) {
    if (contract.name == name) {
      return &contract;
    }
  }
  return nullptr;
}

namespace {
class ContractCheck : public PassWrapper<ContractCheck, OperationPass<ModuleOp>> {
public:
  MLIR_DEFINE_EXPLICIT_INTERNAL_INLINE_TYPE_ID(ContractCheck)

  ContractCheck(std::vector<const Contract *> contracts, std::string after)
      : contracts(std::move(contracts)), after(std::move(after)) {}

  StringRef getArgument() const override { return "check-contracts"; }

  void runOnOperation() override {
    for (const Contract *contract : contracts) {
      if (std::optional<Violation> violation = contract->check(getOperation())) {
        violation->op->emitError("pass `")
            << after << "` broke the contract `" << contract->name << "` (" << contract->statement
            << "): " << violation->what;
        return signalPassFailure();
      }
    }
  }

private:
  std::vector<const Contract *> contracts;
  std::string after;
};
} // namespace

std::unique_ptr<Pass> createContractCheck(std::vector<const Contract *> contracts,
                                          std::string after) {
  return std::make_unique<ContractCheck>(std::move(contracts), std::move(after));
}

} // namespace drumlin
