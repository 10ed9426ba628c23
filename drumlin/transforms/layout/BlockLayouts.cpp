// Stores static GEMM operands in the panels that packed kernels multiply, if that reduces the
// predicted time of all GEMMs that read them.
#include "drumlin/ir/plan/GemmOp.h"
#include "drumlin/transforms/PassTarget.h"
#include "drumlin/transforms/Reasons.h"
#include "drumlin/transforms/Rules.h"
#include "drumlin/transforms/layout/Passes.h"

#include "drumlin/interpreter/ConstantConversion.h"
#include "drumlin/ir/plan/BufferAssignment.h"
#include "drumlin/ir/plan/Layouts.h"
#include "drumlin/ir/plan/OperationClasses.h"
#include "drumlin/ir/plan/gemm/GemmPanels.h"
#include "drumlin/ir/stablehlo/ConstantOp.h"
#include "drumlin/ir/stablehlo/DynamicSliceOp.h"
#include "drumlin/ir/stablehlo/HeldElements.h"
#include "drumlin/ir/stablehlo/ReshapeOp.h"
#include "drumlin/transforms/gemm/GemmChoice.h"

using namespace mlir;

namespace drumlin {

#define GEN_PASS_DEF_BLOCKLAYOUTSPASS
#include "drumlin/transforms/layout/Passes.h.inc"

namespace {
// A GEMM that reads a value, and which of its operands the value is.
struct Reader {
  plan::GemmOp kernel;
  unsigned input = 0;
  GemmOperand operand = GemmOperand::Lhs;
};

class PanelWriter {
public:
  PanelWriter(func::FuncOp main, const CpuTarget &target, Numerics numerics, Ledger &ledger)
      : main(main), target(target), numerics(numerics), ledger(ledger) {}

  void run() {
    for (BlockArgument argument : main.getArguments()) {
      unsigned number = argument.getArgNumber();
      if (isLaidOutOnce(main, number) || isWeightInPlace(main, number)) {
        visit(argument);
      }
    }
    SmallVector<stablehlo::ConstantOp> constants;
    main.walk([&](stablehlo::ConstantOp constant) { constants.push_back(constant); });
    for (stablehlo::ConstantOp constant : constants) {
      visit(constant.getResult());
    }
  }

private:
  // Returns the only use of a value. If this use slices a slab from the value, returns the slab's
  // only use, after a reshape that drops its leading dimensions. Returns null if there is no such
  // use.
  static OpOperand *readOf(Value value) {
    if (!value.hasOneUse()) {
      return nullptr;
    }
    OpOperand *use = &*value.getUses().begin();
    Operation *slice = use->getOwner();
    if (!takesSlab(slice) || use->getOperandNumber() != 0 || !slice->hasOneUse()) {
      return use;
    }
    OpOperand *ofSlab = &*slice->getUses().begin();
    auto reshape = dyn_cast<stablehlo::ReshapeOp>(ofSlab->getOwner());
    if (!reshape || !reshape->hasOneUse()) {
      return nullptr;
    }
    ArrayRef<int64_t> slab = shapeOf(reshape.getOperand()), matrix = shapeOf(reshape.getResult());
    bool dropsFirst = slab.size() > matrix.size() && slab.take_back(matrix.size()) == matrix;
    return dropsFirst ? &*reshape->getUses().begin() : nullptr;
  }

  // Returns all readers of a value, if each reader is a GEMM with the value as exactly one of its
  // operands, read directly; otherwise nothing. A GEMM can multiply only one operand in place.
  std::optional<SmallVector<Reader>> readersOf(Value value) {
    SmallVector<Reader> readers;
    for (OpOperand &use : value.getUses()) {
      auto kernel = dyn_cast<plan::GemmOp>(use.getOwner());
      Operation *hero = kernel ? contractionOf(kernel.getBody().front()) : nullptr;
      if (!hero) {
        return std::nullopt;
      }
      Value inside = kernel.getBody().front().getArgument(use.getOperandNumber());
      OpOperand *read = readOf(inside);
      bool isKnown = llvm::any_of(readers, [&](Reader each) { return each.kernel == kernel; });
      if (isKnown || !read || read->getOwner() != hero) {
        return std::nullopt;
      }
      bool isRhs = read->getOperandNumber() == 1;
      readers.push_back(
          {kernel, use.getOperandNumber(), isRhs ? GemmOperand::Rhs : GemmOperand::Lhs});
    }
    return readers.empty() ? std::nullopt : std::optional(readers);
  }

  // The panels for one reader, and the reader's cheapest schedules without panels (`now`) and with
  // panels (`then`). offerOf() returns nothing if the user's choice or the problem rules out
  // panels.
  struct Offer {
    BlockedLayout layout;
    GemmAlternative now, then;
    bool isCheaper() const { return then.cost.total() < now.cost.total(); }
  };
  static std::vector<GemmAlternative> alternatives(GemmChoice &choice, StringAttr forced) {
    if (!forced) {
      return choice.alternatives();
    }
    std::optional<GemmAlternative> named = choice.chooseForced(forced.getValue());
    return named ? std::vector<GemmAlternative>{*named} : std::vector<GemmAlternative>();
  }
  std::optional<Offer> offerOf(const Reader &reader) {
    auto forced = reader.kernel->getAttrOfType<StringAttr>(plan::forcedKernelAttribute);
    GemmChoice choice(reader.kernel, target, numerics);
    std::vector<GemmAlternative> now = alternatives(choice, forced);
    choice.assumePanels(reader.operand);
    std::vector<GemmAlternative> then = alternatives(choice, forced);
    auto inPanels = llvm::find_if(
        then, [](const GemmAlternative &each) { return each.schedule.columnsInPanels; });
    if (now.empty() || inPanels == then.end()) {
      return std::nullopt;
    }
    const GemmProblem &problem = choice.shape();
    std::optional<BlockedLayout> layout = panelLayout(
        problem, reader.operand, inPanels->schedule.unit, target.registerLanes(problem.sumBytes()));
    if (!layout) {
      return std::nullopt;
    }
    plan::GemmOp kernel = reader.kernel;
    Value memory = kernel.getBody().front().getArgument(reader.input);
    return Offer{stackedLayout(*layout, shapeOf(memory)), now.front(), *inPanels};
  }

  void visit(Value value) {
    std::optional<SmallVector<Reader>> readers = readersOf(value);
    if (!readers) {
      return;
    }
    std::optional<BlockedLayout> layout;
    Prediction total;
    bool isCheaper = true;
    for (const Reader &reader : *readers) {
      std::optional<Offer> offer = offerOf(reader);
      if (!offer || (layout && !(*layout == offer->layout))) {
        return;
      }
      layout = offer->layout;
      isCheaper &= offer->isCheaper();
      total.nanoseconds += offer->then.cost.total();
      total.runnerUpNanoseconds += offer->now.cost.total();
    }
    std::optional<Tensor> elements;
    if (auto constant = value.getDefiningOp<stablehlo::ConstantOp>(); constant && isCheaper) {
      const HeldConstant *held = heldConstant(constant.getValue());
      Result<Tensor> read =
          held ? Result<Tensor>(held->elements) : tensorFromAttribute(constant.getValue());
      if (!read) {
        return; // the constant can't be read at compile time
      }
      elements = *read;
    }
    auto bound = dyn_cast<BlockArgument>(value);
    bool isInPlace = bound && isWeightInPlace(main, bound.getArgNumber());
    Decision decision = !isCheaper  ? Decision::declined(Reason::NoCheaperPanels)
                        : isInPlace ? Decision::declined(Reason::WeightInPlace)
                                    : Decision::taken();
    if (decision.isTaken()) {
      decision.remedy = "stored as " + layout->str();
      total.runnerUp = "unchanged";
    } else {
      total.runnerUp = "in panels";
      std::swap(total.nanoseconds, total.runnerUpNanoseconds);
    }
    decision.prediction = total;
    if (auto argument = dyn_cast<BlockArgument>(value)) {
      std::string number = std::to_string(argument.getArgNumber());
      if (ledger.recordUnlessOff(Rule::BlockLayout, argument, number, decision).isTaken()) {
        blockArgument(argument, *layout, *readers);
      }
    } else if (ledger.recordUnlessOff(Rule::BlockLayout, value.getDefiningOp(), decision)
                   .isTaken()) {
      blockConstant(cast<stablehlo::ConstantOp>(value.getDefiningOp()), *elements, *layout,
                    *readers);
    }
  }

  void readThrough(ArrayRef<Reader> readers, const BlockedLayout &layout, Type inMemory) {
    for (Reader reader : readers) {
      Decision decision = Decision::taken();
      decision.remedy = std::string("reads its ") +
                        (reader.operand == GemmOperand::Lhs ? "left" : "right") +
                        " operand in panels";
      ledger.record(Rule::BlockLayout, contractionOf(reader.kernel.getBody().front()), decision);
      Block &region = reader.kernel.getBody().front();
      BlockArgument inside = region.getArgument(reader.input);
      inside.setType(inMemory);
      Operation *user = *inside.getUsers().begin();
      OpBuilder builder(user);
      if (auto slice = dyn_cast<stablehlo::DynamicSliceOp>(user)) {
        slice.replaceAllUsesWith(readSlab(builder, slice, layout));
        slice.erase();
      } else {
        builder.setInsertionPointToStart(&region);
        inside.getUses().begin()->set(readPanels(builder, reader.kernel.getLoc(), inside, layout));
      }
    }
  }

  // Reads the slab of a slice from a stack that is already stored in panels.
  static Value readSlab(OpBuilder &builder, stablehlo::DynamicSliceOp slice,
                        const BlockedLayout &stack) {
    auto memory = cast<RankedTensorType>(slice.getOperand().getType());
    BlockedLayout layout = stack;
    layout.shape = Shape(shapeOf(slice.getResult()));
    Shape sizes = layout.physicalShape();
    auto index = cast<RankedTensorType>(slice.getStartIndices().front().getType());
    Value zero = stablehlo::ConstantOp::create(
        builder, slice.getLoc(),
        DenseElementsAttr::get(index, builder.getZeroAttr(index.getElementType())));
    // Only the leading dimensions have nonzero starts. They stay the leading dimensions.
    SmallVector<Value> starts(slice.getStartIndices());
    starts.resize(sizes.size(), zero);
    for (size_t d = 0; d < starts.size(); ++d) {
      starts[d] = sizes[d] == memory.getDimSize(static_cast<unsigned>(d)) ? zero : starts[d];
    }
    Value slab = stablehlo::DynamicSliceOp::create(builder, slice.getLoc(), slice.getOperand(),
                                                   starts, sizes);
    return readPanels(builder, slice.getLoc(), slab, layout);
  }

  static RankedTensorType typeInMemory(Value value, const BlockedLayout &layout) {
    return cast<RankedTensorType>(value.getType()).clone(ArrayRef<int64_t>(layout.physicalShape()));
  }

  void blockArgument(BlockArgument argument, const BlockedLayout &layout,
                     ArrayRef<Reader> readers) {
    unsigned number = argument.getArgNumber();
    RankedTensorType inMemory = typeInMemory(argument, layout);
    std::optional<BlockedLayout> before = argumentLayout(main, number);
    setArgumentLayout(main, number, before ? layout.of(before->order) : layout);
    argument.setType(inMemory);
    main.setFunctionType(FunctionType::get(
        main.getContext(), main.getBody().front().getArgumentTypes(), main.getResultTypes()));
    readThrough(readers, layout, inMemory);
  }

  void blockConstant(stablehlo::ConstantOp constant, const Tensor &elements,
                     const BlockedLayout &layout, ArrayRef<Reader> readers) {
    RankedTensorType inMemory = typeInMemory(constant.getResult(), layout);
    OpBuilder builder(constant);
    auto made = stablehlo::ConstantOp::create(
        builder, constant.getLoc(), layOutConstant(constant.getValue(), elements, layout));
    constant.getResult().replaceAllUsesWith(made.getResult());
    ElementsAttr before = constant.getValue();
    constant.erase();
    freeUnusedElements(before, main->getParentOfType<ModuleOp>());
    readThrough(readers, layout, inMemory);
  }

  func::FuncOp main;
  const CpuTarget &target;
  Numerics numerics;
  Ledger &ledger;
};
} // namespace

struct BlockLayoutsPass : impl::BlockLayoutsPassBase<BlockLayoutsPass> {
  using impl::BlockLayoutsPassBase<BlockLayoutsPass>::BlockLayoutsPassBase;
  BlockLayoutsPass(Ledger &ledger, const CpuTarget &target, Numerics numerics)
      : ledger(&ledger), target(target), numerics(numerics) {}

  void runOnOperation() override {
    if (!takeTarget(target, getOperation(), targetName)) {
      return signalPassFailure();
    }
    Ledger own;
    PanelWriter(getOperation(), *target, numerics, ledger ? *ledger : own).run();
  }

  Ledger *ledger = nullptr;
  std::optional<CpuTarget> target;
  Numerics numerics = Numerics::Default;
};

std::unique_ptr<Pass> createBlockLayoutsPass(Ledger &ledger, const CpuTarget &target,
                                             Numerics numerics) {
  return std::make_unique<BlockLayoutsPass>(ledger, target, numerics);
}

} // namespace drumlin
