// Calls are inlined until @main has none: kernels are formed across what were function boundaries,
// and equal kernels are found again by their structure, so that a function called eighty times
// still compiles once.
#include "drumlin/transforms/simplify/Passes.h"

#include "drumlin/ir/stablehlo/StablehloOps.h"
#include "mlir/IR/IRMapping.h"
#include "mlir/IR/SymbolTable.h"

using namespace mlir;

namespace drumlin {

#define GEN_PASS_DEF_INLINECALLSPASS
#include "drumlin/transforms/simplify/Passes.h.inc"

// A program larger than this after inlining doesn't compile in reasonable time.
static constexpr int64_t maxInlinedOperations = 2'000'000;

namespace {
class Inliner {
public:
  Inliner(ModuleOp module, Ledger &ledger) : symbols(module), ledger(ledger) {}

  // Replaces the calls under `root`, callees first; fails with an error for recursion and for what
  // names no function.
  LogicalResult inlineCalls(Operation *root) {
    SmallVector<Operation *> calls;
    root->walk([&](Operation *op) {
      if (calleeOf(op)) {
        calls.push_back(op);
      }
    });
    for (Operation *call : calls) {
      StringRef name = calleeOf(call).getValue();
      auto callee = symbols.lookup<func::FuncOp>(name);
      if (!callee || callee.isExternal()) {
        return call->emitError("calls `")
               << name << "`, which is no function of this module with a body";
      }
      if (!done.contains(callee)) {
        if (!active.insert(callee).second) {
          ledger.record("inline-call", call, Decision::declined(Reason::Recursive, callee));
          return call->emitError("calls `")
                 << name << "` recursively; write the recursion as a `while`";
        }
        if (failed(inlineCalls(callee))) {
          return failure();
        }
        active.erase(callee);
        done.insert(callee);
      }
      inlineOne(call, callee);
      if (inlined > maxInlinedOperations) {
        return root->emitError("has more than ")
               << maxInlinedOperations << " operations once its calls are inlined";
      }
    }
    return success();
  }

private:
  // What a call runs; a composite runs its decomposition. Null for other operations.
  static FlatSymbolRefAttr calleeOf(Operation *op) {
    if (auto composite = dyn_cast<stablehlo::CompositeOp>(op)) {
      return composite.getDecompositionAttr();
    }
    auto call = dyn_cast<func::CallOp>(op);
    return call ? call.getCalleeAttr() : FlatSymbolRefAttr();
  }

  void inlineOne(Operation *call, func::FuncOp callee) {
    if (!ledger.settle("inline-call", call, Decision::taken()).isTaken()) {
      return;
    }
    OpBuilder builder(call);
    IRMapping mapping;
    Block &body = callee.getBody().front();
    mapping.map(body.getArguments(), call->getOperands());
    for (Operation &op : body.without_terminator()) {
      builder.clone(op, mapping);
      ++inlined;
    }
    for (auto [result, returned] :
         llvm::zip(call->getResults(), body.getTerminator()->getOperands())) {
      result.replaceAllUsesWith(mapping.lookupOrDefault(returned));
    }
    call->erase();
  }

  SymbolTable symbols;
  Ledger &ledger;
  llvm::SmallPtrSet<Operation *, 8> done, active;
  int64_t inlined = 0;
};
} // namespace

struct InlineCallsPass : impl::InlineCallsPassBase<InlineCallsPass> {
  InlineCallsPass() = default;
  explicit InlineCallsPass(Ledger &ledger) : ledger(&ledger) {}

  void runOnOperation() override {
    Ledger own;
    ModuleOp module = getOperation();
    auto main = module.lookupSymbol<func::FuncOp>("main");
    if (!main) {
      module.emitError("has no function `main`");
      return signalPassFailure();
    }
    if (failed(Inliner(module, ledger ? *ledger : own).inlineCalls(main))) {
      return signalPassFailure();
    }
    for (auto function : llvm::make_early_inc_range(module.getOps<func::FuncOp>())) {
      if (function != main) {
        function.erase();
      }
    }
  }

  Ledger *ledger = nullptr;
};

std::unique_ptr<Pass> createInlineCallsPass(Ledger &ledger) {
  return std::make_unique<InlineCallsPass>(ledger);
}

} // namespace drumlin
