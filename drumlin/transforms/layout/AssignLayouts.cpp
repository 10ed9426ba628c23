// Chooses the dimension order in memory of every value between kernels, under all constraints at
// once: the orders that the caller requests, the orders that each kernel can read and write, and
// the orders for which reshapes move no bytes. Conflicts that no choice resolves become explicit
// copies with a known cost.
#include "drumlin/ir/plan/CopyOp.h"
#include "drumlin/ir/stablehlo/CaseOp.h"
#include "drumlin/ir/stablehlo/ConstantOp.h"
#include "drumlin/ir/stablehlo/IfOp.h"
#include "drumlin/ir/stablehlo/OptimizationBarrierOp.h"
#include "drumlin/ir/stablehlo/ReshapeOp.h"
#include "drumlin/ir/stablehlo/ReturnOp.h"
#include "drumlin/ir/stablehlo/WhileOp.h"
#include "drumlin/transforms/PassTarget.h"
#include "drumlin/transforms/Reasons.h"
#include "drumlin/transforms/Rules.h"
#include "drumlin/transforms/layout/Passes.h"

#include "drumlin/ir/plan/BufferAssignment.h"
#include "drumlin/ir/plan/Layouts.h"
#include "drumlin/ir/plan/OperationClasses.h"
#include "drumlin/ir/plan/TripCount.h"
#include "drumlin/ir/stablehlo/StablehloTypes.h"
#include "drumlin/support/Cost.h"
#include "drumlin/target/KernelLayouts.h"
#include "drumlin/transforms/layout/LayoutProblem.h"

using namespace mlir;

namespace drumlin {

#define GEN_PASS_DEF_ASSIGNLAYOUTSPASS
#include "drumlin/transforms/layout/Passes.h.inc"

// Assumed iterations of a loop with an unknown trip count.
static constexpr int64_t unknownTrips = 1;

namespace {
// Collects the variables and the sites of a function's layout problem (LayoutProblem.h).
class ProblemBuilder {
public:
  ProblemBuilder(func::FuncOp main, const LayoutOptions &options)
      : main(main), target(*options.target), problem(GemmPrices(options.cpu, options.numerics)) {}

  LayoutProblem build() {
    addArguments();
    visit(main.getBody().front(), 1);
    for (auto [number, site] : llvm::enumerate(problem.sites)) {
      auto touch = [&, number = number](Value value) {
        auto found = problem.variableOf.find(value);
        if (found != problem.variableOf.end()) {
          problem.variables[found->second].sites.insert(number);
        }
      };
      if (site.kind == LayoutSite::Handover) {
        touch(site.use->get());
        if (site.to >= 0) {
          problem.variables[static_cast<size_t>(site.to)].sites.insert(number);
        }
      } else {
        llvm::for_each(site.op->getOperands(), touch);
        llvm::for_each(site.op->getResults(), touch);
      }
    }
    return std::move(problem);
  }

private:
  // Adds one variable that all of the values share. Vectors and scalars have only one order.
  void addVariable(ArrayRef<Value> values, bool isFixed = false) {
    auto type = dyn_cast<RankedTensorType>(values.front().getType());
    if (!type || type.getRank() < 2) {
      return;
    }
    LayoutVariable variable;
    variable.values.assign(values.begin(), values.end());
    variable.shape = Shape(type.getShape());
    variable.isFixed = isFixed;
    variable.candidates.push_back(rowMajorOrder(variable.shape.size()));
    for (Value value : values) {
      problem.variableOf[value] = problem.variables.size();
    }
    problem.variables.push_back(std::move(variable));
  }

  LayoutVariable *variableOf(Value value) {
    auto found = problem.variableOf.find(value);
    return found == problem.variableOf.end() ? nullptr : &problem.variables[found->second];
  }

  void addArguments() {
    for (BlockArgument argument : main.getArguments()) {
      unsigned number = argument.getArgNumber();
      addVariable({argument}, /*isFixed=*/true);
      LayoutVariable *variable = variableOf(argument);
      if (!variable) {
        continue;
      }
      size_t rank = variable->shape.size();
      auto mode = main.getArgAttrOfType<StringAttr>(number, layoutModeAttribute);
      std::optional<int64_t> donated = donatedTo(argument);
      if (mode && mode.getValue() == "auto" && !donated) {
        variable->isFixed = false;
      } else if (std::optional<DimensionOrder> order =
                     mode ? parseLayout(mode.getValue(), rank) : std::nullopt) {
        variable->candidates = {canonicalOrder(variable->shape, *order)};
      } else if (donated && mode && mode.getValue() == "auto") {
        variable->candidates = {
            resultLayout(static_cast<unsigned>(*donated)).value_or(variable->order())};
      }
      if (isLaidOutOnce(main, number) || isWeightInPlace(main, number)) {
        variable->isFixed = false;
      }
    }
  }

  // Returns the order that a result must have, or nothing if any order is allowed.
  std::optional<DimensionOrder> resultLayout(unsigned number) {
    auto type = dyn_cast<RankedTensorType>(main.getResultTypes()[number]);
    if (!type) {
      return std::nullopt;
    }
    DimensionOrder rowMajor = rowMajorOrder(static_cast<size_t>(type.getRank()));
    auto mode = main.getResultAttrOfType<StringAttr>(number, layoutModeAttribute);
    if (mode && mode.getValue() == "auto") {
      bool isDonated = llvm::any_of(main.getArguments(), [&](BlockArgument argument) {
        return donatedTo(argument) == std::optional<int64_t>(number);
      });
      return isDonated ? std::optional(rowMajor) : std::nullopt;
    }
    std::optional<DimensionOrder> order =
        mode ? parseLayout(mode.getValue(), rowMajor.size()) : std::nullopt;
    return order ? canonicalOrder(type.getShape(), *order) : rowMajor;
  }

  void handOver(OpOperand &use, int64_t to, std::optional<DimensionOrder> wanted, int64_t calls) {
    auto type = dyn_cast<RankedTensorType>(use.get().getType());
    if (!type || type.getRank() < 2) {
      return;
    }
    LayoutSite site;
    site.kind = LayoutSite::Handover;
    site.op = use.getOwner();
    site.calls = calls;
    site.use = &use;
    site.to = to;
    site.wanted = wanted.value_or(rowMajorOrder(static_cast<size_t>(type.getRank())));
    problem.sites.push_back(std::move(site));
  }

  void handOver(OpOperand &use, Value to, int64_t calls) {
    auto found = problem.variableOf.find(to);
    if (found != problem.variableOf.end()) {
      handOver(use, static_cast<int64_t>(found->second), std::nullopt, calls);
    }
  }

  void addKernel(Operation *op, int64_t calls) {
    LayoutSite site;
    site.op = op;
    site.calls = calls;
    site.access = accessOf(op);
    if (*plan::kernelKindOf(op) == plan::KernelKind::gemm) {
      chooseKernel(site);
    }
    for (OpResult result : op->getResults()) {
      bool isRowMajor = site.access.rowMajorOutputs[result.getResultNumber()] ||
                        site.resultNeed == LayoutNeed::RowMajor;
      addVariable({result}, isRowMajor);
    }
    problem.sites.push_back(std::move(site));
  }

  // Chooses the kernel of a dot or convolution, and thereby the layouts that it needs.
  void chooseKernel(LayoutSite &site) {
    std::vector<KernelLayouts> kernels = kernelLayouts(target);
    KernelLayouts chosen = kernels.front();
    auto forced = site.op->getAttrOfType<StringAttr>(plan::forcedKernelAttribute);
    for (const KernelLayouts &kernel : kernels) {
      if (forced && forced.getValue() == llvm::StringRef(kernel.name)) {
        chosen = kernel;
      }
    }
    // No library supports convolutions.
    if (!site.access.isDot() && chosen.operands == LayoutNeed::Matrix) {
      chosen = kernels.back();
    }
    site.operandNeed = chosen.operands;
    site.resultNeed = chosen.result;
    if (chosen.operands == LayoutNeed::Matrix) {
      for (const InputAccess &input : site.access.inputs) {
        KernelTraversal::Kind kind = site.access.traversals[input.traversal].kind;
        if (kind == KernelTraversal::Output || !input.isPermutation) {
          continue;
        }
        ElementType type = elementTypeOf(site.op->getOperand(input.input).getType());
        site.depthInRow[kind == KernelTraversal::Lhs ? 0 : 1] |=
            wantsDepthInRow(target, type, hasMxScales(site, input.traversal));
      }
    }
  }

  // Returns whether the operand has MX scales: several f8E8M0FNU numbers.
  static bool hasMxScales(const LayoutSite &site, size_t traversal) {
    return llvm::any_of(site.access.inputs, [&](const InputAccess &input) {
      auto type = cast<RankedTensorType>(site.op->getOperand(input.input).getType());
      return input.traversal == traversal && isa<Float8E8M0FNUType>(type.getElementType()) &&
             type.getNumElements() > 1;
    });
  }

  void visitLoop(stablehlo::WhileOp loop, int64_t calls) {
    Block &condition = loop.getCond().front(), &body = loop.getBody().front();
    for (auto [number, result] : llvm::enumerate(loop->getResults())) {
      auto at = static_cast<unsigned>(number);
      addVariable({result, condition.getArgument(at), body.getArgument(at)});
      handOver(loop->getOpOperand(at), result, calls);
    }
    int64_t trips = multiplySaturating(calls, tripCount(loop).value_or(unknownTrips));
    visit(condition, trips);
    visit(body, trips);
    for (OpOperand &yielded : body.getTerminator()->getOpOperands()) {
      handOver(yielded, loop->getResult(yielded.getOperandNumber()), trips);
    }
  }

  void visitBranches(Operation *op, int64_t calls) {
    for (Value result : op->getResults()) {
      addVariable({result});
    }
    for (Region &region : op->getRegions()) {
      visit(region.front(), calls);
      for (OpOperand &yielded : region.front().getTerminator()->getOpOperands()) {
        handOver(yielded, op->getResult(yielded.getOperandNumber()), calls);
      }
    }
  }

  void visit(Block &block, int64_t calls) {
    for (Operation &op : block) {
      if (plan::kernelKindOf(&op)) {
        addKernel(&op, calls);
      } else if (isa<stablehlo::ReshapeOp>(op)) {
        addVariable({op.getResult(0)});
        LayoutSite site;
        site.kind = LayoutSite::Reshape;
        site.op = &op;
        site.calls = calls;
        problem.sites.push_back(std::move(site));
      } else if (isa<stablehlo::ConstantOp>(op)) {
        addVariable({op.getResult(0)});
      } else if (auto loop = dyn_cast<stablehlo::WhileOp>(op)) {
        visitLoop(loop, calls);
      } else if (isa<stablehlo::IfOp, stablehlo::CaseOp>(op)) {
        visitBranches(&op, calls);
      } else if (isa<stablehlo::OptimizationBarrierOp>(op)) {
        for (OpOperand &operand : op.getOpOperands()) {
          Value result = op.getResult(operand.getOperandNumber());
          addVariable({result});
          handOver(operand, result, calls);
        }
      } else if (isa<func::ReturnOp>(op)) {
        for (OpOperand &operand : op.getOpOperands()) {
          if (std::optional<DimensionOrder> order = resultLayout(operand.getOperandNumber())) {
            handOver(operand, -1, order, calls);
          }
        }
      } else if (!isa<stablehlo::ReturnOp>(op)) {
        // The layouts that other operations need are unknown, so their operands must be row-major.
        for (OpOperand &operand : op.getOpOperands()) {
          handOver(operand, -1, std::nullopt, calls);
        }
      }
    }
  }

  func::FuncOp main;
  const Target &target;
  LayoutProblem problem;
};

// Makes weights that are used in place in the caller's file keep their layout. If the solution
// gives such a weight another layout, records that layout as declined, with the cost of declining
// it, and solves the problem again.
static void fixWeightsInPlace(func::FuncOp main, LayoutProblem &problem, Ledger &ledger) {
  bool isSolved = true;
  for (LayoutVariable &variable : problem.variables) {
    auto argument = dyn_cast<BlockArgument>(variable.values.front());
    if (!argument || argument.getOwner() != &main.getBody().front() ||
        !isWeightInPlace(main, argument.getArgNumber())) {
      continue;
    }
    if (!isRowMajor(variable.order())) {
      auto costAround = [&] {
        int64_t cost = 0;
        for (size_t site : variable.sites) {
          cost = addSaturating(cost, problem.costOf(problem.sites[site]));
        }
        return cost;
      };
      int64_t wanted = costAround();
      variable.chosen = 0;
      Decision decision = Decision::declined(Reason::WeightInPlace)
                              .with({std::max<int64_t>(costAround() - wanted, 0), 0});
      ledger.record(Rule::AssignLayout, argument, std::to_string(argument.getArgNumber()),
                    decision);
      isSolved = false;
    }
    variable.candidates.resize(1);
    variable.isFixed = true;
  }
  if (!isSolved) {
    for (LayoutVariable &variable : problem.variables) {
      variable.chosen = 0;
    }
    problem.solve();
  }
}

// Applies a solved problem to the program.
class LayoutWriter {
public:
  LayoutWriter(func::FuncOp main, LayoutProblem &problem, Ledger &ledger)
      : main(main), problem(problem), ledger(ledger) {}

  void run() {
    main->setAttr(assignedAttribute, UnitAttr::get(main.getContext()));
    settle();
    insertCopies();
    OpBuilder builder(main.getContext());
    for (BlockArgument argument : main.getArguments()) {
      if (Attribute layout = layoutOf(argument)) {
        main.setArgAttr(argument.getArgNumber(), layoutAttribute, layout);
      }
    }
    llvm::SetVector<Operation *> owners;
    for (const LayoutVariable &variable : problem.variables) {
      if (Operation *op = variable.values.front().getDefiningOp()) {
        if (!isRowMajor(variable.order())) {
          owners.insert(op);
        }
      }
    }
    for (Operation *op : owners) {
      SmallVector<Attribute> layouts;
      for (Value result : op->getResults()) {
        layouts.push_back(layoutAttr(main.getContext(), orderOfAny(result)));
      }
      op->setAttr(layoutsAttribute, builder.getArrayAttr(layouts));
    }
    Operation *end = main.getBody().front().getTerminator();
    for (OpOperand &operand : end->getOpOperands()) {
      if (Attribute layout = layoutOf(operand.get())) {
        main.setResultAttr(operand.getOperandNumber(), layoutAttribute, layout);
      }
    }
  }

private:
  DimensionOrder orderOfAny(Value value) {
    auto type = dyn_cast<RankedTensorType>(value.getType());
    auto copied = copies.find(value);
    if (copied != copies.end()) {
      return copied->second;
    }
    return type ? problem.orderOf(value) : DimensionOrder();
  }

  Attribute layoutOf(Value value) {
    DimensionOrder order = orderOfAny(value);
    return isRowMajor(order) ? Attribute() : layoutAttr(main.getContext(), order);
  }

  static std::string numberOf(BlockArgument argument) {
    return std::to_string(argument.getArgNumber());
  }

  // Records one entry for each value that isn't row-major. If the rule is turned off, makes all
  // values row-major, except where the caller requests another order.
  void settle() {
    for (LayoutVariable &variable : problem.variables) {
      if (isRowMajor(variable.order())) {
        continue;
      }
      Decision decision = Decision::taken();
      decision.remedy = "stored as " + layoutText(variable.order());
      if (auto argument = dyn_cast<BlockArgument>(variable.values.front())) {
        bool isStatic = argument.getOwner() == &main.getBody().front() &&
                        main.getArgAttr(argument.getArgNumber(), staticAttribute);
        decision.remedy += isStatic ? ", transposed once for each pointer that is passed" : "";
        ledger.record(Rule::AssignLayout, argument, numberOf(argument), decision);
      } else if (!ledger
                      .recordUnlessOff(Rule::AssignLayout, variable.values.front().getDefiningOp(),
                                       decision)
                      .isTaken()) {
        variable.chosen = 0;
      }
    }
  }

  void copyBefore(OpOperand &use, const DimensionOrder &order) {
    Operation *user = use.getOwner();
    OpBuilder builder(user);
    Value value = use.get();
    auto copy = plan::CopyOp::create(builder, user->getLoc(), value.getType(), value, "layout");
    copies[copy.getResult()] = order;
    ledger.record(Rule::CopyLayout, copy, Decision::taken());
    if (!isRowMajor(order)) {
      copy->setAttr(layoutsAttribute, builder.getArrayAttr({layoutAttr(main.getContext(), order)}));
    }
    use.set(copy.getResult());
    // The copy reads and writes the value, so it moves the value's bytes twice.
    recordShared(value,
                 Decision::declined(Reason::LayoutImposed, user).with({2 * bytesOf(value), 0}));
  }

  void recordShared(Value value, const Decision &decision) {
    auto argument = dyn_cast<BlockArgument>(value);
    if (!argument) {
      ledger.record(Rule::ShareLayout, value.getDefiningOp(), decision);
    } else if (argument.getOwner() == &main.getBody().front()) {
      ledger.record(Rule::ShareLayout, argument, numberOf(argument), decision);
    } else {
      ledger.record(Rule::ShareLayout, argument.getOwner()->getParentOp(), decision);
    }
  }

  void insertCopies() {
    // Finds all copies before inserting the first one, because an inserted copy changes the values
    // that the sites read.
    SmallVector<std::pair<OpOperand *, DimensionOrder>> needed;
    for (const LayoutSite &site : problem.sites) {
      if (site.kind == LayoutSite::Kernel) {
        for (unsigned input = 0; input < site.op->getNumOperands(); ++input) {
          if (std::optional<DimensionOrder> order = problem.copiedInput(site, input)) {
            needed.push_back({&site.op->getOpOperand(input), *order});
          }
        }
      } else if (site.kind == LayoutSite::Handover) {
        Value from = site.use->get();
        const DimensionOrder &to = problem.takenOrder(site);
        if (!haveSameBytes(shapeOf(from), problem.orderOf(from), to)) {
          needed.push_back({site.use, to});
        } else if (!isRowMajor(to)) {
          recordShared(from, Decision::taken());
        }
      }
    }
    for (auto &[use, order] : needed) {
      copyBefore(*use, order);
    }
  }

  func::FuncOp main;
  LayoutProblem &problem;
  Ledger &ledger;
  DenseMap<Value, DimensionOrder> copies;
};
} // namespace

struct AssignLayoutsPass : impl::AssignLayoutsPassBase<AssignLayoutsPass> {
  using impl::AssignLayoutsPassBase<AssignLayoutsPass>::AssignLayoutsPassBase;
  AssignLayoutsPass(Ledger &ledger, LayoutOptions options)
      : ledger(&ledger), options(std::move(options)) {}

  void runOnOperation() override {
    Ledger own;
    func::FuncOp main = getOperation();
    bool isByName = !options.target;
    if (!takeTarget(options.target, main, targetName)) {
      return signalPassFailure();
    }
    if (Result<CpuTarget> cpu = cpuTargetFromName(targetName); isByName && cpu) {
      options.cpu = *cpu;
    }
    LayoutProblem problem = ProblemBuilder(main, options).build();
    problem.collectCandidates();
    problem.solve();
    fixWeightsInPlace(main, problem, ledger ? *ledger : own);
    LayoutWriter(main, problem, ledger ? *ledger : own).run();
  }

  Ledger *ledger = nullptr;
  LayoutOptions options;
};

std::unique_ptr<Pass> createAssignLayoutsPass(Ledger &ledger, const LayoutOptions &options) {
  return std::make_unique<AssignLayoutsPass>(ledger, options);
}

} // namespace drumlin
