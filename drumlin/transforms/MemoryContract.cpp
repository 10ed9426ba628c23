#include "drumlin/transforms/MemoryContract.h"

#include "drumlin/ir/plan/BitcastOp.h"
#include "drumlin/ir/plan/BufferAssignment.h"
#include "drumlin/ir/plan/InPlace.h"
#include "drumlin/ir/plan/KernelOp.h"
#include "drumlin/ir/plan/LaunchOp.h"
#include "drumlin/ir/plan/OperationClasses.h"
#include "drumlin/ir/plan/SideBySide.h"
#include "drumlin/ir/stablehlo/CaseOp.h"
#include "drumlin/ir/stablehlo/ConstantOp.h"
#include "drumlin/ir/stablehlo/IfOp.h"
#include "drumlin/ir/stablehlo/ReturnOp.h"
#include "drumlin/ir/stablehlo/WhileOp.h"

#include <map>

using namespace mlir;

namespace drumlin {

namespace {
// Simulates the program on memory that records which value was written where. Each value must still
// be there when it is read. A loop's body runs once, on memory without the values that any
// iteration destroys; all other values are in memory before each iteration. Each branch of a
// conditional runs on the memory before the conditional; values that any branch destroys are gone
// after it. The time for each write is proportional to the number of enclosing operations with
// regions.
class MemoryCheck {
public:
  explicit MemoryCheck(SymbolTable &symbols) : symbols(symbols) {}

  std::optional<Violation> run(func::FuncOp function) {
    for (BlockArgument argument : function.getArguments()) {
      if (donatedTo(argument)) {
        write(argument);
      }
    }
    listWrites(function.getBody().front());
    visit(function.getBody().front());
    checkResults(function.getBody().front().getTerminator());
    return violation;
  }

private:
  using Memory = std::pair<plan::BufferKind, int64_t>;
  // Maps the first byte of each value to the end of its range and the value.
  using Held = std::map<int64_t, std::pair<int64_t, Value>>;

  static Value storageOf(Value value) {
    while (auto bitcast = value.getDefiningOp<plan::BitcastOp>()) {
      value = bitcast.getOperand();
    }
    // A loop's results and the arguments of its regions share storage.
    if (auto argument = dyn_cast<BlockArgument>(value)) {
      if (auto loop = dyn_cast<stablehlo::WhileOp>(argument.getOwner()->getParentOp())) {
        return loop->getResult(argument.getArgNumber());
      }
    }
    return value;
  }

  //===-- the memory --------------------------------------------------------------------------===//

  // A log of all changes, so that a branch's changes can be undone.
  struct Change {
    Held *held;
    int64_t begin;
    std::optional<std::pair<int64_t, Value>> before;
  };

  void change(Held &held, int64_t begin, std::optional<std::pair<int64_t, Value>> after) {
    auto found = held.find(begin);
    bool isThere = found != held.end();
    changes.push_back({&held, begin, isThere ? std::optional(found->second) : std::nullopt});
    if (after) {
      held[begin] = *after;
    } else if (isThere) {
      held.erase(found);
    }
  }

  void takeBack(size_t firstChange) {
    while (changes.size() > firstChange) {
      Change last = changes.pop_back_val();
      if (last.before) {
        (*last.held)[last.begin] = *last.before;
      } else {
        last.held->erase(last.begin);
      }
    }
  }

  // Removes all values that overlap a range of memory.
  void destroy(const MemoryPlace &place) {
    Held &held = contents[place.memory()];
    auto at = held.upper_bound(place.begin);
    if (at != held.begin() && std::prev(at)->second.first > place.begin) {
      --at;
    }
    while (at != held.end() && at->first < place.end) {
      int64_t begin = at->first;
      ++at;
      change(held, begin, std::nullopt);
    }
  }

  void write(Value value) {
    MemoryPlace place = placeOf(value);
    destroy(place);
    if (place.begin < place.end) {
      change(contents[place.memory()], place.begin, std::pair(place.end, storageOf(value)));
    }
  }

  bool isThere(Value value) {
    MemoryPlace place = placeOf(value);
    Held &held = contents[place.memory()];
    auto at = held.find(place.begin);
    return place.begin == place.end || (at != held.end() && at->second.second == storageOf(value) &&
                                        at->second.first >= place.end);
  }

  void read(Value value, Operation *reader) {
    Value storage = storageOf(value);
    Operation *defining = storage.getDefiningOp();
    auto argument = dyn_cast<BlockArgument>(storage);
    bool isDonated = argument && donatedTo(argument);
    if ((!defining && !isDonated) || isa_and_nonnull<stablehlo::ConstantOp>(defining)) {
      return; // constants and undonated arguments are never written
    }
    if (!isThere(value) && !violation) {
      violation = Violation{reader, "reads a value whose memory was reused for another value"};
    }
  }

  //===-- the program -------------------------------------------------------------------------===//

  // Lists where each operation writes, in program order. The writes of operations inside an
  // operation are adjacent in the list.
  void listWrites(Block &block) {
    for (Operation &op : block) {
      if (runsNothing(&op)) {
        continue;
      }
      for (Value result : op.getResults()) {
        writes.push_back(placeOf(result));
      }
      size_t first = writes.size();
      if (classify(&op) == OperationClass::Control) {
        for (Region &region : op.getRegions()) {
          listWrites(region.front());
        }
        writesInside[&op] = {first, writes.size()};
      }
    }
  }

  void destroyWhatIsWrittenInside(Operation &op) {
    auto [first, last] = writesInside.lookup(&op);
    for (const MemoryPlace &place : ArrayRef<MemoryPlace>(writes).slice(first, last - first)) {
      destroy(place);
    }
  }

  static bool isLoopBody(Block &block) {
    auto loop = dyn_cast<stablehlo::WhileOp>(block.getParentOp());
    return loop && &loop.getBody().front() == &block;
  }

  void visit(Block &block) {
    for (Operation &op : block) {
      if (runsNothing(&op)) {
        continue;
      }
      bool endsBody = isa<stablehlo::ReturnOp>(op);
      for (Value operand : op.getOperands()) {
        // The operands of a loop body's terminator are read later, when they are moved to the
        // carried values.
        if (!endsBody || !isLoopBody(block)) {
          read(operand, &op);
        }
      }
      if (auto launch = dyn_cast<plan::LaunchOp>(op)) {
        checkOverlaps(launch);
        checkGroup(launch);
      }
      if (isa<stablehlo::IfOp, stablehlo::CaseOp>(op)) {
        visitBranches(op);
        continue;
      }
      for (Value result : op.getResults()) {
        write(result);
      }
      if (auto loop = dyn_cast<stablehlo::WhileOp>(op)) {
        visitLoop(loop);
      }
    }
  }

  // Checks that each returned value is in the buffer in which the caller expects it.
  void checkResults(Operation *terminator) {
    for (OpOperand &operand : terminator->getOpOperands()) {
      Memory wanted = {plan::BufferKind::result, operand.getOperandNumber()};
      MemoryPlace place = placeOf(operand.get());
      if ((place.memory() != wanted || place.begin != 0) && !violation) {
        violation = Violation{terminator, "result " + std::to_string(operand.getOperandNumber()) +
                                              " is not in its own buffer"};
      }
    }
  }

  // Checks that launches that run beside the given one don't use its memory.
  void checkGroup(plan::LaunchOp launch) {
    SmallVector<plan::LaunchOp> group = launchesBeside(launch);
    for (plan::LaunchOp other : ArrayRef(group).drop_front()) {
      if (interfere(launch, other) && !violation) {
        violation = Violation{other, "runs beside a launch whose memory it uses"};
      }
    }
  }

  // Checks that a kernel overwrites its inputs only if it may compute in place, and that its
  // results are disjoint.
  void checkOverlaps(plan::LaunchOp launch) {
    auto kernel = symbols.lookup<plan::KernelOp>(launch.getKernel());
    SmallVector<MemoryPlace> written;
    for (OpResult result : launch->getOpResults()) {
      MemoryPlace place = placeOf(result);
      bool isApart = llvm::all_of(
          written, [&](const MemoryPlace &other) { return areDisjoint(place, other); });
      if (!isApart && !violation) {
        violation = Violation{launch, "two results of a kernel share memory"};
      }
      written.push_back(place);
      for (OpOperand &operand : launch->getOpOperands()) {
        if (isa<BlockArgument>(storageOf(operand.get())) && !isWritten(operand.get())) {
          continue;
        }
        if (operand.get().getDefiningOp<stablehlo::ConstantOp>()) {
          continue;
        }
        MemoryPlace read = placeOf(operand.get());
        bool liesOver = read.begin == place.begin && read.end >= place.end;
        bool fits =
            areDisjoint(read, place) ||
            (liesOver && kernel &&
             mayComputeInPlace(kernel, operand.getOperandNumber(), result.getResultNumber()));
        if (!fits && !violation) {
          violation = Violation{launch, "a kernel overwrites elements that it still reads"};
        }
      }
    }
  }

  // Arguments of the program are in memory that is never written, unless they are donated.
  static bool isWritten(Value value) {
    auto argument = dyn_cast<BlockArgument>(storageOf(value));
    return !argument || !isa<func::FuncOp>(argument.getOwner()->getParentOp()) ||
           donatedTo(argument);
  }

  void visitLoop(stablehlo::WhileOp loop) {
    SmallVector<Value> carried;
    for (Value result : loop->getResults()) {
      if (isThere(result)) {
        carried.push_back(result);
      }
    }
    destroyWhatIsWrittenInside(*loop);
    // Each iteration begins with the carried values, which the previous iteration moved to their
    // memory.
    llvm::for_each(carried, [&](Value value) { write(value); });
    visit(loop.getCond().front());
    visit(loop.getBody().front());
    move(loop.getBody().front().getTerminator(), loop);
  }

  // Carried and returned values are moved one at a time, in order.
  void move(Operation *terminator, Operation *to) {
    for (auto [next, result] : llvm::zip(terminator->getOperands(), to->getResults())) {
      read(next, terminator);
      write(result);
    }
  }

  void visitBranches(Operation &op) {
    for (Region &region : op.getRegions()) {
      size_t firstChange = changes.size();
      visit(region.front());
      move(region.front().getTerminator(), &op);
      takeBack(firstChange);
    }
    destroyWhatIsWrittenInside(op);
    for (Value result : op.getResults()) {
      write(result);
    }
  }

  SymbolTable &symbols;
  std::map<Memory, Held> contents;
  SmallVector<Change> changes;
  std::vector<MemoryPlace> writes;
  llvm::DenseMap<Operation *, std::pair<size_t, size_t>> writesInside;
  std::optional<Violation> violation;
};
} // namespace

std::optional<Violation> checkMemory(func::FuncOp function, SymbolTable &symbols) {
  return MemoryCheck(symbols).run(function);
}

} // namespace drumlin
