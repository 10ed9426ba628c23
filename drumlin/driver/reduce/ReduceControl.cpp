// Inlines and simplifies calls, branches and loops.
#include "drumlin/driver/reduce/Edits.h"
#include "drumlin/driver/reduce/ProgramReductions.h"
#include "drumlin/ir/stablehlo/CompositeOp.h"
#include "drumlin/ir/stablehlo/WhileOp.h"
#include "mlir/IR/IRMapping.h"
#include "llvm/ADT/BitVector.h"

using namespace mlir;

namespace drumlin::reduce {

//===-- calls ---------------------------------------------------------------------------------===//

static func::FuncOp calleeOf(Operation *op) {
  auto composite = dyn_cast<stablehlo::CompositeOp>(op);
  auto call = dyn_cast<func::CallOp>(op);
  if (!composite && !call) {
    return {};
  }
  return SymbolTable::lookupNearestSymbolFrom<func::FuncOp>(
      op, composite ? composite.getDecompositionAttr() : call.getCalleeAttr());
}

static void inlineCall(Operation *call, func::FuncOp callee) {
  OpBuilder builder(call);
  IRMapping mapping;
  Block &body = callee.getBody().front();
  mapping.map(body.getArguments(), call->getOperands());
  for (Operation &op : body.without_terminator()) {
    builder.clone(op, mapping);
  }
  for (auto [result, returned] :
       llvm::zip(call->getResults(), body.getTerminator()->getOperands())) {
    result.replaceAllUsesWith(mapping.lookupOrDefault(returned));
  }
  call->erase();
}

// Returns the calls of functions that themselves make no calls. Inlining such a call reduces the
// number of calls.
static SmallVector<std::pair<Operation *, func::FuncOp>> leafCalls(ModuleOp module) {
  SmallVector<std::pair<Operation *, func::FuncOp>> calls;
  for (Operation *op : operationsOf(module)) {
    func::FuncOp callee = calleeOf(op);
    if (callee && !callee.isExternal() &&
        !callee
             .walk([](Operation *inner) {
               return isa<func::CallOp, stablehlo::CompositeOp>(inner) ? WalkResult::interrupt()
                                                                       : WalkResult::advance();
             })
             .wasInterrupted()) {
      calls.emplace_back(op, callee);
    }
  }
  return calls;
}

void inlineCalls(Search &search) {
  int64_t before;
  do {
    before = search.kept();
    forEachChunk(
        search, [&] { return leafCalls(search.best()).size(); },
        [&](size_t begin, size_t end) {
          search.attempt("inlining calls", [&](ModuleOp module) {
            auto calls = leafCalls(module);
            for (auto [call, callee] : ArrayRef(calls).slice(begin, end - begin)) {
              inlineCall(call, callee);
            }
            return true;
          });
        });
  } while (search.kept() != before);
}

//===-- branches and loops --------------------------------------------------------------------===//

// Returns the number of ways in which goWithout() can replace an operation: one for each region of
// a loop or branch. For a loop, the way of the condition's region replaces the loop by its initial
// values.
static unsigned waysWithout(Operation *op) { return isControl(op) ? op->getNumRegions() : 0; }

// Replaces while(x) by body(x) or x, and if(p) a else b by a or b.
static bool goWithout(Operation *op, unsigned way) {
  auto loop = dyn_cast<stablehlo::WhileOp>(op);
  if (loop && way == 0) {
    loop->replaceAllUsesWith(loop->getOperands());
  } else {
    inlineBlock(op->getRegion(way).front(), op, loop ? loop->getOperands() : ValueRange());
  }
  op->erase();
  return true;
}

void inlineControl(Search &search) {
  for (size_t i = operationsOf(search.best()).size(); i > 0 && !search.isOver();) {
    --i;
    for (unsigned way = 0; way < waysWithout(operationsOf(search.best())[i]); ++way) {
      bool isGone = search.attempt("inlining branches and loops", [&](ModuleOp module) {
        return goWithout(operationsOf(module)[i], way);
      });
      if (isGone) {
        break;
      }
    }
    i = std::min(i, operationsOf(search.best()).size());
  }
}

//===-- loop-carried values and branch results ------------------------------------------------===//

// Drops values that a loop carries. Users of a dropped value read its initial value instead.
static void dropFromLoop(stablehlo::WhileOp loop, const llvm::BitVector &dropped) {
  Block &cond = loop.getCond().front(), &body = loop.getBody().front();
  for (unsigned i : dropped.set_bits()) {
    Value initial = loop->getOperand(i);
    cond.getArgument(i).replaceAllUsesWith(initial);
    body.getArgument(i).replaceAllUsesWith(initial);
    loop->getResult(i).replaceAllUsesWith(initial);
  }
  body.getTerminator()->eraseOperands(dropped);
  cond.eraseArguments(dropped);
  body.eraseArguments(dropped);
  rebuildWithout(loop, dropped, dropped);
}

static bool dropFrom(Operation *op, size_t begin, size_t end) {
  llvm::BitVector dropped(op->getNumResults());
  dropped.set(static_cast<unsigned>(begin), static_cast<unsigned>(end));
  if (auto loop = dyn_cast<stablehlo::WhileOp>(op)) {
    dropFromLoop(loop, dropped);
    return true;
  }
  for (unsigned i : dropped.set_bits()) {
    if (!op->getResult(i).use_empty()) {
      return false;
    }
  }
  for (Region &region : op->getRegions()) {
    region.front().getTerminator()->eraseOperands(dropped);
  }
  rebuildWithout(op, llvm::BitVector(op->getNumOperands()), dropped);
  return true;
}

void dropCarriedValues(Search &search) {
  for (size_t i = operationsOf(search.best()).size(); i > 0 && !search.isOver();) {
    --i;
    auto count = [&]() -> size_t {
      SmallVector<Operation *> operations = operationsOf(search.best());
      return i < operations.size() && isControl(operations[i]) ? operations[i]->getNumResults() : 0;
    };
    if (count() > 0) {
      forEachChunk(search, count, [&](size_t begin, size_t end) {
        search.attempt("dropping carried values", [&](ModuleOp module) {
          return dropFrom(operationsOf(module)[i], begin, end);
        });
      });
    }
    i = std::min(i, operationsOf(search.best()).size());
  }
}

} // namespace drumlin::reduce
