// Inlines calls until @main has none, so that kernels are formed across function boundaries. Equal
// kernels are recognized by their structure, so a function that is called eighty times is still
// compiled once.
#include "drumlin/support/diagnostics/LimitErrors.h"
#include "drumlin/transforms/Reasons.h"
#include "drumlin/transforms/Rules.h"
#include "drumlin/transforms/simplify/Passes.h"
#include "drumlin/transforms/simplify/decompose/Decompose.h"

#include "drumlin/ir/chlo/ChloOps.h"
#include "drumlin/ir/plan/Origin.h"
#include "drumlin/ir/stablehlo/CaseOp.h"
#include "drumlin/ir/stablehlo/CompositeOp.h"
#include "drumlin/ir/stablehlo/DynamicReduceWindow.h"
#include "drumlin/ir/stablehlo/FrontendAttributes.h"
#include "drumlin/ir/stablehlo/IfOp.h"
#include "drumlin/ir/stablehlo/WhileOp.h"
#include "drumlin/support/Cost.h"
#include "drumlin/transforms/PassFailure.h"
#include "mlir/IR/IRMapping.h"
#include "mlir/IR/SymbolTable.h"

using namespace mlir;

namespace drumlin {

#define GEN_PASS_DEF_INLINECALLSPASS
#include "drumlin/transforms/simplify/Passes.h.inc"

// The maximum region depth. It is limited because passes recurse over regions. Programs that are
// read have the same limit (ImportLimits).
static constexpr int64_t maxInlinedDepth = 256;

// Returns the function that a call runs; for a composite, its decomposition. Null for other
// operations.
static FlatSymbolRefAttr calleeOf(Operation *op) {
  if (auto composite = dyn_cast<stablehlo::CompositeOp>(op)) {
    return composite.getDecompositionAttr();
  }
  auto call = dyn_cast<func::CallOp>(op);
  return call ? call.getCalleeAttr() : FlatSymbolRefAttr();
}

namespace {
class Inliner {
public:
  Inliner(ModuleOp module, Ledger &ledger, int64_t maxOperations,
          std::optional<drumlin::Diagnostic> *failure)
      : symbols(module), ledger(ledger), maxOperations(maxOperations), reason(failure) {}

  // Inlines the calls in the function. Fails, without having changed anything, on recursion, on
  // calls of missing functions, and if the program would become too large. A call is replaced by
  // the original operations of its callee, in which calls are then inlined in turn. So the cost is
  // linear in the number of operations created.
  LogicalResult run(func::FuncOp main) {
    std::optional<Extent> extent = measure(main);
    if (!extent) {
      return failure();
    }
    if (extent->operations > maxOperations) {
      reportFailure(main,
                    diagnose(errors::CompileOperationsLimit,
                             "`@" + main.getName().str() + "` has more than " +
                                 std::to_string(maxOperations) +
                                 " operations once its calls are inlined",
                             plan::sourceOf(main.getLoc())),
                    reason);
      return failure();
    }
    if (extent->depth > maxInlinedDepth) {
      return main->emitError("has regions inside each other, more than ")
             << maxInlinedDepth << " deep, once its calls are inlined";
    }
    SmallVector<Operation *> calls;
    addCalls(main, calls);
    while (!calls.empty()) {
      Operation *call = calls.pop_back_val();
      inlineOne(call, symbols.lookup<func::FuncOp>(calleeOf(call).getValue()), calls);
    }
    return success();
  }

private:
  // The size of a function with all its calls inlined.
  struct Extent {
    int64_t operations = 0; // including operations in regions
    int64_t depth = 0;      // nesting depth of regions
  };

  // A function whose calls are being measured.
  struct Visit {
    func::FuncOp function;
    Extent extent;
    SmallVector<std::pair<Operation *, int64_t>> calls; // each call and its region depth
    size_t next = 0;
  };

  static Visit begin(func::FuncOp function) {
    Visit visit{function, {}, {}};
    SmallVector<std::pair<Region *, int64_t>> regions = {{&function.getBody(), 0}};
    while (!regions.empty()) {
      auto [region, depth] = regions.pop_back_val();
      visit.extent.depth = std::max(visit.extent.depth, depth);
      for (Operation &op : region->getOps()) {
        ++visit.extent.operations;
        if (calleeOf(&op)) {
          visit.calls.push_back({&op, depth});
        }
        for (Region &inner : op.getRegions()) {
          regions.push_back({&inner, depth + 1});
        }
      }
    }
    return visit;
  }

  // Measures callees first and without C++ recursion; returns nothing after an error.
  std::optional<Extent> measure(func::FuncOp main) {
    llvm::DenseMap<Operation *, Extent> finished;
    llvm::SmallPtrSet<Operation *, 8> active = {main};
    std::vector<Visit> visits = {begin(main)};
    while (true) {
      Visit &visit = visits.back();
      if (visit.next == visit.calls.size()) {
        finished[visit.function] = visit.extent;
        active.erase(visit.function);
        visits.pop_back();
        if (visits.empty()) {
          return finished[main];
        }
        continue;
      }
      auto [call, depth] = visit.calls[visit.next];
      StringRef name = calleeOf(call).getValue();
      auto callee = symbols.lookup<func::FuncOp>(name);
      if (!callee || callee.isExternal()) {
        call->emitError("calls `") << name << "`, which is no function of this module with a body";
        return std::nullopt;
      }
      auto known = finished.find(callee);
      if (known == finished.end()) {
        if (!active.insert(callee).second) {
          ledger.record(Rule::InlineCall, call, Decision::declined(Reason::Recursive, callee));
          call->emitError("calls `") << name << "` recursively; write the recursion as a `while`";
          return std::nullopt;
        }
        visits.push_back(begin(callee));
        continue;
      }
      ++visit.next;
      visit.extent.operations = addSaturating(visit.extent.operations, known->second.operations);
      visit.extent.depth = std::max(visit.extent.depth, depth + known->second.depth);
    }
  }

  // Appends the calls in `root` in reverse order.
  static void addCalls(Operation *root, SmallVectorImpl<Operation *> &calls) {
    size_t first = calls.size();
    root->walk([&](Operation *op) {
      if (calleeOf(op)) {
        calls.push_back(op);
      }
    });
    std::reverse(calls.begin() + static_cast<std::ptrdiff_t>(first), calls.end());
  }

  // Applies a framework's attributes of a call to the callee's operations, unless an operation has
  // its own. The body of a reduction is part of the reduction.
  static void inheritFrontendAttributes(Operation *op, DictionaryAttr ofCall) {
    bool isInProgram = isa<func::FuncOp, stablehlo::WhileOp, stablehlo::IfOp, stablehlo::CaseOp>(
        op->getParentOp());
    if (!isInProgram || op->hasTrait<OpTrait::IsTerminator>()) {
      return;
    }
    auto own = op->getAttrOfType<DictionaryAttr>(stablehlo::frontendAttributes);
    NamedAttrList all(own);
    for (const char *name : stablehlo::keptFrontendAttributes) {
      Attribute said = ofCall.get(name);
      if (said && !all.get(name)) {
        all.append(name, said);
      }
    }
    if (!all.empty()) {
      op->setAttr(stablehlo::frontendAttributes, all.getDictionary(op->getContext()));
    }
  }

  void inlineOne(Operation *call, func::FuncOp callee, SmallVectorImpl<Operation *> &calls) {
    if (!ledger.recordUnlessOff(Rule::InlineCall, call, Decision::taken()).isTaken()) {
      return;
    }
    OpBuilder builder(call);
    IRMapping mapping;
    Block &body = callee.getBody().front();
    mapping.map(body.getArguments(), call->getOperands());
    auto said = call->getAttrOfType<DictionaryAttr>(stablehlo::frontendAttributes);
    SmallVector<Operation *> made;
    for (Operation &op : body.without_terminator()) {
      made.push_back(builder.clone(op, mapping));
      made.back()->walk([&](Operation *each) {
        each->setLoc(plan::inlinedLocation(each->getLoc(), call->getLoc()));
        if (said) {
          inheritFrontendAttributes(each, said);
        }
      });
    }
    for (auto [result, returned] :
         llvm::zip(call->getResults(), body.getTerminator()->getOperands())) {
      result.replaceAllUsesWith(mapping.lookupOrDefault(returned));
    }
    call->erase();
    for (Operation *op : llvm::reverse(made)) {
      addCalls(op, calls);
    }
  }

  SymbolTable symbols;
  Ledger &ledger;
  int64_t maxOperations;
  std::optional<drumlin::Diagnostic> *reason;
};
} // namespace

struct InlineCallsPass : impl::InlineCallsPassBase<InlineCallsPass> {
  InlineCallsPass() = default;
  InlineCallsPass(Ledger &ledger, int64_t maxOperations, std::optional<drumlin::Diagnostic> &reason)
      : ledger(&ledger), maxOperations(maxOperations), reason(&reason) {}

  void runOnOperation() override {
    Ledger own;
    ModuleOp module = getOperation();
    auto main = module.lookupSymbol<func::FuncOp>("main");
    if (!main) {
      module.emitError("has no function `main`");
      return signalPassFailure();
    }
    Ledger &record = ledger ? *ledger : own;
    recomposeOperations(module, record);
    sortApproximately(module, record);
    if (failed(Inliner(module, record, maxOperations, reason).run(main))) {
      return signalPassFailure();
    }
    // Functions that are bodies of reductions are needed until sizes are resolved.
    llvm::SmallPtrSet<Operation *, 4> kept = {main};
    main.walk([&](Operation *op) {
      auto window = stablehlo::DynamicReduceWindow::of(op);
      auto reducer =
          window ? module.lookupSymbol<func::FuncOp>(window->reducer.getAttr()) : func::FuncOp();
      if (window && window->isReducer(reducer)) {
        kept.insert(reducer);
      }
    });
    for (auto function : llvm::make_early_inc_range(module.getOps<func::FuncOp>())) {
      bool isReducer = function != main && kept.contains(function);
      if (isReducer && failed(Inliner(module, record, maxOperations, reason).run(function))) {
        return signalPassFailure();
      }
    }
    for (auto function : llvm::make_early_inc_range(module.getOps<func::FuncOp>())) {
      if (!kept.contains(function)) {
        record.record(Rule::DropFunction, function, Decision::taken());
        function.erase();
      }
    }
  }

  Ledger *ledger = nullptr;
  int64_t maxOperations = std::numeric_limits<int64_t>::max();
  std::optional<drumlin::Diagnostic> *reason = nullptr;
};

std::unique_ptr<Pass> createInlineCallsPass(Ledger &ledger, int64_t maxOperations,
                                            std::optional<drumlin::Diagnostic> &failure) {
  return std::make_unique<InlineCallsPass>(ledger, maxOperations, failure);
}

} // namespace drumlin
