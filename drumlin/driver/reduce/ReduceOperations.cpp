// Replaces operations by simpler values.
#include "drumlin/driver/reduce/Edits.h"
#include "drumlin/driver/reduce/ProgramReductions.h"
#include "drumlin/ir/plan/Entry.h"
#include "drumlin/ir/stablehlo/ConstantOp.h"
#include "drumlin/ir/stablehlo/WhileOp.h"

using namespace mlir;

namespace drumlin::reduce {

// Returns whether an operation decides a loop's condition. If a constant replaced it, the loop
// might never end.
static bool decidesLoop(Operation *op) {
  auto loop = dyn_cast_or_null<stablehlo::WhileOp>(op->getParentOp());
  return loop && op->getParentRegion() == &loop.getCond() &&
         llvm::any_of(op->getUsers(),
                      [](Operation *user) { return user->hasTrait<OpTrait::IsTerminator>(); });
}

// Replaces the operation's results by new arguments in the entry, and by zeros in other functions,
// since new arguments would require changes of their callers.
static bool replaceByArguments(Operation *op, func::FuncOp entry) {
  OpBuilder builder(op);
  for (OpResult result : op->getResults()) {
    if (result.use_empty()) {
      continue;
    }
    Value other = entry->isAncestor(op) ? addArgument(entry, result.getType())
                                        : makeConstant(builder, result.getType(), 0);
    if (!other) {
      return false;
    }
    result.replaceAllUsesWith(other);
  }
  op->erase();
  return true;
}

// Drops chunks of operations. Values that remaining operations read become arguments.
void dropOperations(Search &search) {
  auto count = [&]() -> size_t { return operationsOf(search.best()).size(); };
  forEachChunk(search, count, [&](size_t begin, size_t end) {
    search.attempt("dropping operations", [&](ModuleOp module) {
      SmallVector<Operation *> operations = operationsOf(module);
      func::FuncOp entry = entryFunction(module);
      ArrayRef<Operation *> chunk = ArrayRef(operations).slice(begin, end - begin);
      // Users are dropped before the operations that they use. Operations in the regions of dropped
      // operations are dropped with them.
      for (Operation *op : llvm::reverse(chunk)) {
        if (!llvm::is_contained(chunk, op->getParentOp()) && !isa<stablehlo::ConstantOp>(op) &&
            !decidesLoop(op) && !replaceByArguments(op, entry)) {
          return false;
        }
      }
      return true;
    });
  });
}

//===-- single operations ---------------------------------------------------------------------===//

// Returns values of the type that are available before the operation: its operands, results of
// preceding operations, and arguments of enclosing regions.
static SmallVector<Value> valuesBefore(Operation *op, Type type) {
  SmallVector<Value> values;
  auto add = [&](Value value) {
    if (value.getType() == type && !llvm::is_contained(values, value)) {
      values.push_back(value);
    }
  };
  llvm::for_each(op->getOperands(), add);
  // At most maxOthers results of preceding operations and maxOthers arguments, since each value
  // costs one try per operation.
  constexpr size_t maxOthers = 2;
  size_t most = values.size() + maxOthers;
  for (Operation *before = op->getPrevNode(); before && values.size() < most;
       before = before->getPrevNode()) {
    llvm::for_each(before->getResults(), add);
  }
  for (Operation *around = op->getParentOp(); around && !isa<ModuleOp>(around);
       around = around->getParentOp()) {
    for (Region &region : around->getRegions()) {
      if (region.isAncestor(op->getParentRegion()) && values.size() < most + maxOthers) {
        llvm::for_each(region.getArguments(), add);
      }
    }
  }
  return values;
}

static bool tryValues(Search &search, size_t number) {
  size_t choices = 1;
  for (size_t choice = 0; choice < choices; ++choice) {
    bool isReplaced = search.attempt("replacing operations", [&](ModuleOp module) {
      Operation *op = operationsOf(module)[number];
      if (op->getNumResults() != 1) {
        return false;
      }
      Type type = op->getResult(0).getType();
      SmallVector<Value> values = valuesBefore(op, type);
      choices = values.size() + (isa<stablehlo::ConstantOp>(op) ? 0 : 2);
      if (choice >= choices) {
        return false;
      }
      OpBuilder builder(op);
      Value value = choice < values.size()
                        ? values[choice]
                        : makeConstant(builder, type, choice == values.size() ? 0 : 1);
      if (!value) {
        return false;
      }
      op->getResult(0).replaceAllUsesWith(value);
      op->erase();
      return true;
    });
    if (isReplaced) {
      return true;
    }
  }
  return false;
}

void replaceOperations(Search &search) {
  for (size_t i = operationsOf(search.best()).size(); i > 0 && !search.isOver();) {
    tryValues(search, i - 1);
    i = std::min(i - 1, operationsOf(search.best()).size());
  }
}

} // namespace drumlin::reduce
