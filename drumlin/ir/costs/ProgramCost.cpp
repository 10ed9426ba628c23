#include "drumlin/ir/costs/ProgramCost.h"

#include "drumlin/ir/plan/BitcastOp.h"
#include "drumlin/ir/plan/BufferAssignment.h"
#include "drumlin/ir/plan/CopyOp.h"
#include "drumlin/ir/plan/KernelOp.h"
#include "drumlin/ir/plan/LaunchOp.h"
#include "drumlin/ir/plan/LibraryCallOp.h"
#include "drumlin/ir/plan/OperationClasses.h"
#include "drumlin/ir/plan/Origin.h"
#include "drumlin/ir/plan/TripCount.h"
#include "drumlin/ir/stablehlo/ConstantOp.h"
#include "drumlin/ir/stablehlo/OptimizationBarrierOp.h"
#include "drumlin/ir/stablehlo/ReshapeOp.h"
#include "drumlin/ir/stablehlo/StablehloTypes.h"
#include "drumlin/ir/stablehlo/WhileOp.h"
#include "llvm/ADT/DenseSet.h"

#include <cmath>
#include <limits>

using namespace mlir;

namespace drumlin {

Cost LaunchCost::total() const {
  Cost made = cost.repeated(calls);
  made.askedBytesRead = addSaturating(made.askedBytesRead, askedReadLater);
  made.otherBytesRead -= std::min(made.otherBytesRead, askedReadLater);
  made.askedBytesWritten = addSaturating(made.askedBytesWritten, askedWrittenLater);
  made.otherBytesWritten -= std::min(made.otherBytesWritten, askedWrittenLater);
  return made;
}

namespace {
class PlanTraversal {
public:
  PlanTraversal(ModuleOp module, KernelCosts &kernels) : module(module), kernels(kernels) {}

  PlanCost run() {
    func::FuncOp main = module.lookupSymbol<func::FuncOp>("main");
    if (!main || main.isExternal()) {
      return {};
    }
    for (Value value : main.getBody().front().getTerminator()->getOperands()) {
      returned.insert(memoryOf(value));
    }
    entry = &main.getBody().front();
    listFormsOfResults();
    callsOf[main] = 1;
    for (func::FuncOp function : callersFirst(main)) {
      walk(function.getBody().front(), callsOf[function]);
    }
    double expected = 0;
    for (const LaunchCost &launch : made.launches) {
      if (launch.isInTotal) {
        made.total += launch.total();
      }
      expected += launch.share * launch.expectedBytes * static_cast<double>(launch.calls);
    }
    made.expectedBytes = roundSaturating(expected);
    made.memory = peakMemory(main);
    return std::move(made);
  }

private:
  static Value memoryOf(Value value) {
    while (Operation *op = value.getDefiningOp()) {
      if (!isa<plan::BitcastOp, stablehlo::ReshapeOp>(op)) {
        break;
      }
      value = op->getOperand(0);
    }
    return value;
  }

  // Returns `main` and all functions that it calls, directly or indirectly, each after all of its
  // callers. After calls are inlined, there is only `main`.
  std::vector<func::FuncOp> callersFirst(func::FuncOp main) {
    std::vector<func::FuncOp> order;
    llvm::DenseSet<Operation *> seen;
    struct Visit {
      func::FuncOp function;
      SmallVector<func::CallOp> calls;
      size_t next = 0;
    };
    std::vector<Visit> visits;
    auto begin = [&](func::FuncOp function) {
      if (function && !function.isExternal() && seen.insert(function).second) {
        visits.push_back({function, {}});
        function.walk([&](func::CallOp call) { visits.back().calls.push_back(call); });
      }
    };
    begin(main);
    while (!visits.empty()) {
      Visit &visit = visits.back();
      if (visit.next < visit.calls.size()) {
        begin(calleeOf(visit.calls[visit.next++]));
      } else {
        order.push_back(visit.function);
        visits.pop_back();
      }
    }
    std::reverse(order.begin(), order.end());
    return order;
  }

  func::FuncOp calleeOf(func::CallOp call) {
    return symbols.lookupNearestSymbolFrom<func::FuncOp>(call, call.getCalleeAttr());
  }

  // Returns the program argument or constant from which the value comes, looking through loops and
  // calls that pass it on unchanged; null if it comes from neither.
  Value inputOf(Value value) {
    while (value) {
      value = memoryOf(value);
      auto argument = dyn_cast<BlockArgument>(value);
      if (!argument) {
        return isa<stablehlo::ConstantOp>(value.getDefiningOp()) ? value : Value();
      }
      if (argument.getOwner() == entry) {
        return value;
      }
      Operation *parent = argument.getOwner()->getParentOp();
      auto loop = dyn_cast<stablehlo::WhileOp>(parent);
      unsigned number = argument.getArgNumber();
      if (loop) {
        Block &body = loop.getBody().front();
        bool isKept =
            memoryOf(body.getTerminator()->getOperand(number)) == body.getArgument(number);
        value = isKept ? loop->getOperand(number) : Value();
      } else {
        value = passed.lookup(argument);
      }
    }
    return nullptr;
  }

  // A change of a counter of requested bytes. `other` is the value of the counter before the
  // change. If the change was undone, it is the value after the change.
  struct Change {
    int64_t *left;
    int64_t other;
  };

  int64_t take(int64_t &left, int64_t most) {
    int64_t taken = std::min(left, most);
    if (taken > 0) {
      journal.push_back({&left, left});
    }
    left -= taken;
    return taken;
  }

  // Returns how many of the bytes of `value` that the calls of a launch read are requested bytes,
  // that is, bytes of an input that no earlier launch has read. `bytes` counts the bytes of one
  // call. `isAnywhere`: each call may read different elements.
  int64_t takeRead(Value value, int64_t bytes, int64_t calls, bool isAnywhere) {
    Value input = bytes > 0 ? inputOf(value) : Value();
    if (!input) {
      return 0;
    }
    int64_t &left = unread.try_emplace(input.getAsOpaquePointer(), bytesOf(input)).first->second;
    return take(left, isAnywhere ? multiplySaturating(bytes, calls) : bytes);
  }

  // Returns how many of the bytes that the calls of a launch write are requested bytes, that is,
  // bytes of the program's results. `bytes` counts the bytes of one call.
  int64_t takeWritten(OpResult value, int64_t bytes, int64_t calls) {
    if (!value.getOwner()->hasAttr(buffersAttribute)) {
      return returned.contains(value) ? bytes : 0;
    }
    plan::BufferAttr buffer = bufferOf(value);
    // Other values may use the memory of a result before the result is written.
    if (buffer.getKind() != plan::BufferKind::result || !becomesResult.contains(value)) {
      return 0;
    }
    int64_t &left = unwritten.try_emplace(buffer.getIndex(), bytesOf(value)).first->second;
    return take(left, bytes < bytesOf(value) ? multiplySaturating(bytes, calls) : bytes);
  }

  // Counts the `bytes` bytes that each call reads or writes. `taken` is the number of requested
  // bytes of all calls together.
  static void count(int64_t bytes, int64_t taken, int64_t &asked, int64_t &other, int64_t &later) {
    int64_t first = std::min(bytes, taken);
    asked = addSaturating(asked, first);
    other = addSaturating(other, bytes - first);
    later = addSaturating(later, taken - first);
  }
  static void countRead(LaunchCost &launch, int64_t bytes, int64_t taken) {
    count(bytes, taken, launch.cost.askedBytesRead, launch.cost.otherBytesRead,
          launch.askedReadLater);
  }
  static void countWritten(LaunchCost &launch, int64_t bytes, int64_t taken) {
    count(bytes, taken, launch.cost.askedBytesWritten, launch.cost.otherBytesWritten,
          launch.askedWrittenLater);
  }

  // Fills `becomesResult` with the values that are stored in a result's memory and become the
  // result: the result itself, the values that it overwrites in place, and the values that loops
  // and branches copy to this memory.
  void listFormsOfResults() {
    SmallVector<Value> forms;
    auto add = [&](Value value) {
      value = storageOf(value);
      if (value.getDefiningOp() && becomesResult.insert(value).second) {
        forms.push_back(value);
      }
    };
    llvm::for_each(entry->getTerminator()->getOperands(), add);
    while (!forms.empty()) {
      auto form = cast<OpResult>(forms.pop_back_val());
      Operation *op = form.getOwner();
      for (Region &region : op->getRegions()) {
        bool isCondition = isa<stablehlo::WhileOp>(op) && region.getRegionNumber() == 0;
        if (!isCondition) {
          add(region.front().getTerminator()->getOperand(form.getResultNumber()));
        }
      }
      if (isa<stablehlo::WhileOp>(op)) {
        add(op->getOperand(form.getResultNumber()));
      } else if (isa<plan::LaunchOp>(op)) {
        for (auto [input, output] : inPlaceOf(op)) {
          if (output == form.getResultNumber()) {
            add(op->getOperand(input));
          }
        }
      }
    }
  }

  void addBytes(LaunchCost &launch, const KernelCost &kernel) {
    launch.expectedBytes = kernel.bytesExpected;
    for (auto [i, bytes] : llvm::enumerate(kernel.bytesRead)) {
      bool isAnywhere = llvm::is_contained(kernel.readAnywhere, static_cast<unsigned>(i));
      Value operand = launch.op->getOperand(static_cast<unsigned>(i));
      countRead(launch, bytes, takeRead(operand, bytes, launch.calls, isAnywhere));
    }
    for (auto [result, bytes] : llvm::zip(launch.op->getResults(), kernel.bytesWritten)) {
      countWritten(launch, bytes, takeWritten(result, bytes, launch.calls));
    }
  }

  static InPlace inPlaceOf(Operation *op) {
    InPlace pairs;
    if (!op->hasAttr(buffersAttribute)) {
      return pairs;
    }
    for (OpOperand &operand : op->getOpOperands()) {
      for (OpResult result : op->getResults()) {
        if (isa_and_nonnull<stablehlo::ConstantOp>(storageOf(operand.get()).getDefiningOp())) {
          continue;
        }
        plan::BufferAttr in = bufferOf(operand.get()), out = bufferOf(result);
        bool donated = false;
        if (auto argument = dyn_cast<BlockArgument>(storageOf(operand.get()))) {
          donated = in.getKind() == plan::BufferKind::argument &&
                    out.getKind() == plan::BufferKind::result &&
                    donatedTo(argument) == std::optional<int64_t>(out.getIndex());
        }
        bool same = in.getKind() == out.getKind() && in.getIndex() == out.getIndex() &&
                    in.getOffset() == out.getOffset();
        if (same || donated) {
          pairs.push_back({operand.getOperandNumber(), result.getResultNumber()});
        }
      }
    }
    return pairs;
  }

  // Caches costs, because large programs have many equal launches of one kernel.
  const KernelCost &costOfKernel(plan::KernelOp kernel, const InPlace &inPlace) {
    const void *schedule = kernel->getAttr(plan::scheduleAttribute).getAsOpaquePointer();
    auto [entry, isNew] = kernels.try_emplace({kernel.getOperation(), schedule, !inPlace.empty()});
    if (isNew) {
      entry->second = kernelCost(kernel, inPlace);
    }
    return entry->second;
  }

  void add(Operation &op, int64_t calls) {
    LaunchCost launch;
    launch.op = &op;
    launch.source = plan::sourceOf(op.getLoc());
    launch.calls = calls;
    launch.kernel = op.getName().getStringRef().str();
    if (auto call = dyn_cast<plan::LaunchOp>(op)) {
      auto kernel = symbols.lookupNearestSymbolFrom<plan::KernelOp>(call, call.getKernelAttr());
      if (!kernel) {
        return;
      }
      const KernelCost &cost = costOfKernel(kernel, inPlaceOf(&op));
      launch.kernel = call.getKernel().str();
      launch.kind = plan::stringifyKernelKind(kernel.getKind()).str();
      launch.cost = cost.cost;
      launch.functionOperations = cost.functionOperations;
      addBytes(launch, cost);
    } else if (std::optional<plan::KernelKind> kind = plan::kernelKindOf(&op)) {
      KernelCost cost = kernelCost(&op);
      launch.kind =
          isa<plan::LibraryCallOp>(op) ? "library_call" : plan::stringifyKernelKind(*kind).str();
      launch.cost = cost.cost;
      addBytes(launch, cost);
    } else {
      launch.kind = isa<plan::CopyOp>(op) ? "copy" : "operation";
      KernelCost cost = operationCost(&op);
      launch.cost = cost.cost;
      addBytes(launch, cost);
    }
    made.launches.push_back(std::move(launch));
  }

  // Adds the copies that a loop or a branch makes if buffers are assigned. Before its first step
  // and after each step, a loop copies the values that are not yet in the buffers of its carried
  // values. A branch copies the values that are not yet in the buffers of the branch operation's
  // results.
  void addMoves(Operation *op, ValueRange values, int64_t calls) {
    LaunchCost moves;
    moves.op = op;
    moves.kernel = op->getName().getStringRef().str();
    moves.kind = "copy";
    moves.source = plan::sourceOf(op->getLoc());
    moves.calls = calls;
    for (auto [from, to] : llvm::zip(values, op->getResults())) {
      plan::BufferAttr source = bufferOf(from), target = bufferOf(to);
      int64_t bytes = bytesOf(to);
      bool isThere = source.getKind() == target.getKind() &&
                     source.getIndex() == target.getIndex() &&
                     source.getOffset() == target.getOffset();
      if (isThere || bytes == 0) {
        continue;
      }
      countRead(moves, bytes, takeRead(from, bytes, calls, false));
      countWritten(moves, bytes, takeWritten(to, bytes, calls));
    }
    if (moves.cost.bytes() > 0) {
      moves.expectedBytes = static_cast<double>(moves.cost.bytes());
      made.launches.push_back(std::move(moves));
    }
  }

  // Counts the launches of all branches. Only the branch that moves the most bytes counts in the
  // total. If several branches move the same bytes, it is the one with the most FLOPs. A run takes
  // one branch, and all branches are equally likely.
  void walkBranches(Operation &op, int64_t calls) {
    struct Branch {
      size_t begin, end; // the range of its launches in `made.launches`
      Cost cost;
      std::vector<Change> changes; // changes to the counters of requested bytes
    };
    std::vector<Branch> branches;
    for (Region &region : op.getRegions()) {
      Branch branch = {made.launches.size(), 0, {}, {}};
      size_t before = journal.size();
      walk(region.front(), calls);
      if (op.hasAttr(buffersAttribute)) {
        addMoves(&op, region.front().getTerminator()->getOperands(), calls);
      }
      branch.end = made.launches.size();
      for (size_t i = branch.begin; i < branch.end; ++i) {
        LaunchCost &launch = made.launches[i];
        launch.share /= static_cast<double>(op.getNumRegions());
        branch.cost += launch.isInTotal ? launch.total() : Cost();
      }
      while (journal.size() > before) {
        Change change = journal.pop_back_val();
        std::swap(*change.left, change.other);
        branch.changes.push_back(change);
      }
      branches.push_back(std::move(branch));
    }
    auto size = [](const Branch &branch) {
      return std::pair(branch.cost.bytes(), branch.cost.hardwareFlops());
    };
    auto largest = llvm::max_element(
        branches, [&](const Branch &a, const Branch &b) { return size(a) < size(b); });
    for (auto [i, branch] : llvm::enumerate(branches)) {
      for (size_t launch = branch.begin; launch < branch.end; ++launch) {
        made.launches[launch].isInTotal &= i == size_t(largest - branches.begin());
      }
    }
    if (largest != branches.end()) {
      for (Change change : llvm::reverse(largest->changes)) {
        std::swap(*change.left, change.other);
        journal.push_back(change);
      }
    }
  }

  void walk(Block &block, int64_t calls) {
    for (Operation &op : block.without_terminator()) {
      if (auto loop = dyn_cast<stablehlo::WhileOp>(op)) {
        std::optional<int64_t> trips = tripCount(loop);
        if (!trips) {
          std::string source = plan::sourceOf(loop.getLoc());
          made.unknownLoops.push_back(source.empty() ? "stablehlo.while" : source);
        }
        int64_t inside = multiplySaturating(calls, trips.value_or(1));
        bool isPlaced = loop->hasAttr(buffersAttribute);
        if (isPlaced) {
          addMoves(loop, loop->getOperands(), calls);
        }
        walk(loop.getCond().front(), trips ? addSaturating(inside, calls) : inside);
        walk(loop.getBody().front(), inside);
        if (isPlaced) {
          addMoves(loop, loop.getBody().front().getTerminator()->getOperands(), inside);
        }
        continue;
      }
      if (auto call = dyn_cast<func::CallOp>(op)) {
        if (func::FuncOp callee = calleeOf(call)) {
          bool isFirst = callsOf.try_emplace(callee, 0).second;
          callsOf[callee] = addSaturating(callsOf[callee], calls);
          for (auto [argument, operand] : llvm::zip(callee.getArguments(), op.getOperands())) {
            Value input = inputOf(operand);
            Value &known = passed.try_emplace(argument, input).first->second;
            known = isFirst || known == input ? input : Value(); // null if the inputs differ
          }
        }
        continue;
      }
      if (classify(&op) == OperationClass::Control) {
        walkBranches(op, calls);
        continue;
      }
      bool isMemory = isa<stablehlo::ConstantOp, plan::BitcastOp, stablehlo::ReshapeOp,
                          stablehlo::OptimizationBarrierOp>(op);
      bool hasTensors =
          llvm::all_of(llvm::concat<const Type>(op.getOperandTypes(), op.getResultTypes()),
                       [](Type type) { return isa<RankedTensorType>(type); });
      if (!isMemory && hasTensors) {
        add(op, calls);
      }
    }
  }

  ModuleOp module;
  SymbolTableCollection symbols;
  PlanCost made;
  Block *entry = nullptr;
  llvm::DenseMap<Operation *, int64_t> callsOf;
  llvm::DenseSet<Value> returned, becomesResult;
  std::map<void *, int64_t> unread;     // number of bytes of each input that are not yet read
  std::map<int64_t, int64_t> unwritten; // number of bytes of each result that are not yet written
  SmallVector<Change> journal;          // changes to `unread` and `unwritten`, in order
  llvm::DenseMap<Value, Value> passed;  // the inputs that callers pass to functions
  KernelCosts &kernels;
};
} // namespace

PlanCost planCost(ModuleOp module, KernelCosts *known) {
  KernelCosts none;
  return PlanTraversal(module, known ? *known : none).run();
}

} // namespace drumlin
