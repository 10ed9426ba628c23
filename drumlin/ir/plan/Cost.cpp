#include "drumlin/ir/plan/Cost.h"

#include "drumlin/ir/indexing/IndexingInterface.h"
#include "drumlin/ir/plan/BufferAssignment.h"
#include "drumlin/ir/plan/Evaluations.h"
#include "drumlin/ir/plan/InPlace.h"
#include "drumlin/ir/plan/OperationClasses.h"
#include "drumlin/ir/plan/Origin.h"
#include "drumlin/ir/plan/Reducers.h"
#include "drumlin/ir/plan/TripCount.h"
#include "drumlin/ir/plan/Work.h"
#include "drumlin/ir/plan/loop/LoopProblem.h"
#include "llvm/ADT/DenseSet.h"

#include <cmath>
#include <limits>

using namespace mlir;

namespace drumlin {

static int64_t rounded(double count) {
  return count < static_cast<double>(std::numeric_limits<int64_t>::max())
             ? static_cast<int64_t>(std::llround(count))
             : std::numeric_limits<int64_t>::max();
}

static bool isContraction(Operation *op) {
  return isa<stablehlo::DotGeneralOp, stablehlo::ConvolutionOp>(op);
}

//===- evaluations ------------------------------------------------------------===//

namespace {
struct RegionCounts {
  llvm::DenseMap<Operation *, double> evaluations;
  // Computed in a traversal that doesn't follow them as a prefix scan.
  llvm::DenseSet<Operation *> unfollowed;
};
} // namespace

// As a region's kind of kernel is emitted.
static RegionCounts countsOf(Block &region, plan::KernelKind kind,
                             const std::optional<GemmCounts> &hero,
                             stablehlo::DynamicUpdateSliceOp update) {
  RegionCounts counts;
  auto addAll = [&](ArrayRef<Operation *> ops, Evaluations &evaluations) {
    evaluations.run();
    for (Operation *op : ops) {
      counts.evaluations[op] += evaluations.of(op);
      if (op != evaluations.followedScan()) {
        counts.unfollowed.insert(op);
      }
    }
  };
  SmallVector<Operation *> ops;
  Operation *heroOp = nullptr;
  for (Operation &op : region.without_terminator()) {
    ops.push_back(&op);
    heroOp = classify(&op) == OperationClass::Hero ? &op : heroOp;
  }
  ValueRange yielded = region.getTerminator()->getOperands();
  if (update) {
    // Only the slice is computed.
    Evaluations evaluations(ops);
    evaluations.walk({update.getUpdate()}, shapeOf(update.getUpdate()));
    for (Value start : update.getStartIndices()) {
      evaluations.ask(start, 1);
    }
    addAll(ops, evaluations);
    return counts;
  }
  if (kind == plan::KernelKind::loop || !heroOp) {
    for (const LoopGroup &group : groupRoots(region)) {
      Evaluations evaluations(group.slice.getArrayRef());
      evaluations.walk(llvm::to_vector(group.rootValues()), group.shape);
      addAll(group.slice.getArrayRef(), evaluations);
    }
    return counts;
  }
  Evaluations evaluations(ops);
  for (Value result : heroOp->getResults()) {
    evaluations.give(result);
  }
  if (isContraction(heroOp)) {
    evaluations.ask(heroOp->getOperand(0),
                    hero ? hero->lhsReads : static_cast<double>(elementsOf(heroOp->getOperand(0))));
    evaluations.ask(heroOp->getOperand(1),
                    hero ? hero->rhsReads : static_cast<double>(elementsOf(heroOp->getOperand(1))));
  } else {
    for (Value operand : heroOp->getOperands()) {
      evaluations.ask(operand, static_cast<double>(elementsOf(operand)));
    }
  }
  // Results of the hero's shape are stored together; a full reduction reads them there too.
  SmallVector<Value> together;
  for (Value value : yielded) {
    Operation *op = value.getDefiningOp();
    auto reduce = dyn_cast_or_null<stablehlo::ReduceOp>(op);
    while (op && !reduce && op != heroOp && op->getNumOperands() == 1 && elementsOf(value) == 1) {
      op = op->getOperand(0).getDefiningOp();
      reduce = dyn_cast_or_null<stablehlo::ReduceOp>(op);
    }
    if (reduce && elementsOf(reduce.getResult(0)) == 1) {
      evaluations.give(reduce.getResult(0));
      counts.evaluations[reduce] = 1;
      together.push_back(reduce.getInputs().front());
      if (value != reduce.getResult(0)) {
        evaluations.ask(value, 1);
      }
    } else if (shapeOf(value) == shapeOf(heroOp->getResult(0))) {
      together.push_back(value);
    } else {
      evaluations.ask(value, static_cast<double>(elementsOf(value)));
    }
  }
  if (!together.empty()) {
    evaluations.askTogether(together, static_cast<double>(elementsOf(together.front())));
  }
  addAll(ops, evaluations);
  return counts;
}

// Beyond the one as which each evaluation counts.
static double functionOperations(Block &region,
                                 const llvm::DenseMap<Operation *, double> &evaluations) {
  double operations = 0;
  for (Operation &op : region.without_terminator()) {
    auto beyond = static_cast<double>(std::max<int64_t>(operationsPerElement(&op) - 1, 0));
    operations += evaluations.lookup(&op) * beyond;
  }
  return operations;
}

static Cost flopsOf(Block &region, const RegionCounts &counts,
                    const std::optional<GemmCounts> &hero) {
  Cost cost;
  for (Operation &op : region.without_terminator()) {
    if (isContraction(&op)) {
      cost.matrixFlops = addSaturating(cost.matrixFlops, multiplySaturating(2, multiplyAdds(&op)));
      int64_t executed = hero ? hero->multiplyAdds : denseMultiplyAdds(&op);
      cost.padFlops = addSaturating(cost.padFlops,
                                    std::max<int64_t>(multiplySaturating(2, executed) -
                                                          multiplySaturating(2, multiplyAdds(&op)),
                                                      0));
      continue;
    }
    if (classify(&op) == OperationClass::Hero) {
      cost.elementFlops = addSaturating(cost.elementFlops, heroFlops(&op));
      continue;
    }
    bool isFollowed = !counts.unfollowed.contains(&op);
    double each = flopsPerEvaluation(&op, isFollowed);
    if (each == 0) {
      continue;
    }
    double evaluated = counts.evaluations.lookup(&op) * each;
    if (isUpcast(&op)) {
      cost.upcastFlops = addSaturating(cost.upcastFlops, rounded(evaluated));
      continue;
    }
    double once = std::min(evaluated, static_cast<double>(elementsOf(op.getResult(0))) * each);
    cost.recomputeFlops = addSaturating(cost.recomputeFlops, rounded(evaluated - once));
    if (isa<stablehlo::ReduceWindowOp>(op)) {
      double body = each;
      for (int64_t size : cast<stablehlo::ReduceWindowOp>(op).getWindowDimensions()) {
        body /= isFollowed ? 1 : static_cast<double>(size);
      }
      double terms = static_cast<double>(windowTerms(&op, isFollowed)) * body;
      double asked = std::min(once, terms);
      cost.padFlops = addSaturating(cost.padFlops, rounded(once - asked));
      once = asked;
    }
    cost.elementFlops = addSaturating(cost.elementFlops, rounded(once));
  }
  return cost;
}

//===- bytes ------------------------------------------------------------------===//

// The share of a value's elements that its users read at least once.
static double shareRead(Value value, llvm::DenseMap<Value, double> &known, Operation *without) {
  auto found = known.find(value);
  if (found != known.end()) {
    return found->second;
  }
  double elements = static_cast<double>(std::max<int64_t>(elementsOf(value), 1));
  double taken = 0; // by operations that read some of them
  double whole = 0; // by operations that read as large a share as is read of their results
  for (OpOperand &use : value.getUses()) {
    Operation *user = use.getOwner();
    if (user == without && use.getOperandNumber() == 0) {
      continue;
    }
    if (isa<plan::YieldOp>(user) || user->getParentRegion() != value.getParentRegion()) {
      whole = 1;
      continue;
    }
    double share = 0;
    for (Value result : user->getResults()) {
      share = std::max(share, shareRead(result, known, without));
    }
    bool isMove = isDataMovement(user);
    bool isWhole = isMove && elementsOf(user->getResult(0)) == elementsOf(value);
    bool takesSome = (isMove && elementsOf(user->getResult(0)) < elementsOf(value)) ||
                     isa<stablehlo::DynamicSliceOp, stablehlo::GatherOp>(user);
    if (takesSome && use.getOperandNumber() == 0) {
      taken += share * static_cast<double>(elementsOf(user->getResult(0))) / elements;
    } else if (isWhole || classify(user) == OperationClass::Pointwise) {
      whole = std::max(whole, share);
    } else {
      whole = std::max(whole, share > 0 ? 1.0 : 0.0);
    }
  }
  double share = std::min(1.0, std::max(whole, taken));
  known[value] = share;
  return share;
}

// Returns whether a part of a value is read whose place the program computes.
static bool isReadAnywhere(Value value) {
  return llvm::any_of(value.getUses(), [](OpOperand &use) {
    Operation *user = use.getOwner();
    bool isPart = isa<stablehlo::DynamicSliceOp, stablehlo::GatherOp>(user);
    return use.getOperandNumber() == 0 &&
           (isPart || (isDataMovement(user) && isReadAnywhere(user->getResult(0))));
  });
}

static int64_t transposedBytes(Operation *op) {
  return transposes(op) ? bytesOf(op->getResult(0)) : 0;
}

KernelCost kernelCost(Operation *kernel, const InPlace &inPlace) {
  Block &region = kernel->getRegion(0).front();
  auto outlined = dyn_cast<plan::KernelOp>(kernel);
  plan::KernelKind kind = outlined ? outlined.getKind() : *plan::kernelKindOf(kernel);
  std::optional<GemmCounts> hero = scheduledCounts(kernel);
  KernelCost made;
  stablehlo::DynamicUpdateSliceOp update = kind == plan::KernelKind::loop && !inPlace.empty()
                                               ? inPlaceUpdate(region)
                                               : stablehlo::DynamicUpdateSliceOp();
  RegionCounts counts = countsOf(region, kind, hero, update);
  made.cost = flopsOf(region, counts, hero);
  made.functionOperations = functionOperations(region, counts.evaluations);
  for (Operation &op : region.without_terminator()) {
    if (!hero) {
      made.cost.transposedBytes = addSaturating(made.cost.transposedBytes, transposedBytes(&op));
    }
  }
  if (hero) {
    made.cost.transposedBytes = hero->transposedBytes;
  }
  // A scatter into its own operand, or an updated slice, leaves what it doesn't touch.
  Operation *updater = update;
  if (kind == plan::KernelKind::scatter && !inPlace.empty()) {
    for (Operation &op : region) {
      updater = isa<stablehlo::ScatterOp>(op) ? &op : updater;
    }
  }
  llvm::DenseMap<Value, double> known;
  for (BlockArgument argument : region.getArguments()) {
    double share = shareRead(argument, known, update);
    made.bytesRead.push_back(rounded(share * static_cast<double>(bytesOf(argument))));
    if (share < 1 && isReadAnywhere(argument)) {
      made.readAnywhere.push_back(argument.getArgNumber());
    }
  }
  auto isInPlace = [&](unsigned number, bool input) {
    return llvm::any_of(inPlace,
                        [&](auto pair) { return (input ? pair.first : pair.second) == number; });
  };
  for (OpOperand &output : region.getTerminator()->getOpOperands()) {
    int64_t bytes = bytesOf(output.get());
    if (updater && isInPlace(output.getOperandNumber(), false)) {
      auto scatter = dyn_cast<stablehlo::ScatterOp>(updater);
      Value written = scatter ? scatter.getUpdates().front()
                              : cast<stablehlo::DynamicUpdateSliceOp>(updater).getUpdate();
      bytes = std::min(bytes, bytesOf(written));
    }
    made.bytesWritten.push_back(bytes);
  }
  if (auto scatter = dyn_cast_or_null<stablehlo::ScatterOp>(updater)) {
    for (auto [input, output] : inPlace) {
      made.bytesRead[input] = std::min(made.bytesRead[input], made.bytesWritten[output]);
    }
  }
  return made;
}

//===- the program ------------------------------------------------------------===//

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
    for (const LaunchCost &launch : made.launches) {
      made.total += launch.total();
    }
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

  // The functions that are called, before inlining; each behind all that call it.
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

  // Returns the program's argument or constant that a value is; null if it is none. Loops and calls
  // hand them on.
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

  // Returns how many bytes that a launch's calls read of a value the program asks for: what nobody
  // has read before. `isAnywhere`: each call may read another part.
  int64_t takeRead(Value value, int64_t bytes, int64_t calls, bool isAnywhere) {
    Value input = bytes > 0 ? inputOf(value) : Value();
    if (!input) {
      return 0;
    }
    int64_t &left = unread.try_emplace(input, bytesOf(input)).first->second;
    int64_t taken = std::min(left, isAnywhere ? multiplySaturating(bytes, calls) : bytes);
    left -= taken;
    return taken;
  }

  // Returns the same of what is written to the program's results.
  int64_t takeWritten(OpResult value, int64_t bytes, int64_t calls) {
    if (!value.getOwner()->hasAttr(buffersAttribute)) {
      return returned.contains(value) ? bytes : 0;
    }
    plan::BufferAttr buffer = bufferOf(value);
    // Other values lie in a result's memory before the result does.
    if (buffer.getKind() != plan::BufferKind::result || !becomesResult.contains(value)) {
      return 0;
    }
    int64_t &left = unwritten.try_emplace(buffer.getIndex(), bytesOf(value)).first->second;
    int64_t taken =
        std::min(left, bytes < bytesOf(value) ? multiplySaturating(bytes, calls) : bytes);
    left -= taken;
    return taken;
  }

  // Counts bytes that are read or written at each call, of which the program asks for `taken` in
  // all.
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

  // The values that lie in a result's memory and become it: the result, what is written over to
  // make it, and what loops and branches move there.
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

  void addBytes(LaunchCost &launch, ArrayRef<int64_t> reads, ArrayRef<int64_t> writes,
                ArrayRef<unsigned> readAnywhere) {
    for (auto [i, bytes] : llvm::enumerate(reads)) {
      bool isAnywhere = llvm::is_contained(readAnywhere, static_cast<unsigned>(i));
      Value operand = launch.op->getOperand(static_cast<unsigned>(i));
      countRead(launch, bytes, takeRead(operand, bytes, launch.calls, isAnywhere));
    }
    for (auto [result, bytes] : llvm::zip(launch.op->getResults(), writes)) {
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

  // Equal launches of one kernel cost the same; large programs have many.
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
      addBytes(launch, cost.bytesRead, cost.bytesWritten, cost.readAnywhere);
    } else if (std::optional<plan::KernelKind> kind = plan::kernelKindOf(&op)) {
      KernelCost cost = kernelCost(&op);
      launch.kind =
          isa<plan::LibraryCallOp>(op) ? "library_call" : plan::stringifyKernelKind(*kind).str();
      launch.cost = cost.cost;
      addBytes(launch, cost.bytesRead, cost.bytesWritten, cost.readAnywhere);
    } else {
      launch.kind = isa<plan::CopyOp>(op) ? "copy" : "operation";
      addPlain(op, launch);
    }
    made.launches.push_back(std::move(launch));
  }

  // An operation in no kernel reads its operands and writes its results.
  void addPlain(Operation &op, LaunchCost &launch) {
    if (isContraction(&op)) {
      launch.cost.matrixFlops = multiplySaturating(2, multiplyAdds(&op));
      launch.cost.padFlops =
          multiplySaturating(2, denseMultiplyAdds(&op)) - launch.cost.matrixFlops;
    } else if (isa<stablehlo::ReduceWindowOp>(op)) {
      launch.cost.elementFlops = windowTerms(&op, prefixScan(&op).has_value());
    } else if (classify(&op) == OperationClass::Hero) {
      launch.cost.elementFlops = heroFlops(&op);
    } else if (op.getNumResults() > 0) {
      double flops = flopsPerEvaluation(&op) * static_cast<double>(elementsOf(op.getResult(0)));
      (isUpcast(&op) ? launch.cost.upcastFlops : launch.cost.elementFlops) = rounded(flops);
    }
    launch.cost.transposedBytes = transposedBytes(&op);
    SmallVector<int64_t> reads, writes;
    for (Value operand : op.getOperands()) {
      reads.push_back(bytesOf(operand));
    }
    if (isa<stablehlo::SliceOp, stablehlo::DynamicSliceOp, stablehlo::GatherOp>(op)) {
      reads.front() = std::min(reads.front(), bytesOf(op.getResult(0)));
    }
    for (Value result : op.getResults()) {
      writes.push_back(bytesOf(result));
    }
    bool isAnywhere = isa<stablehlo::DynamicSliceOp, stablehlo::GatherOp>(op);
    addBytes(launch, reads, writes, isAnywhere ? ArrayRef<unsigned>{0} : ArrayRef<unsigned>{});
  }

  // What placed control flow copies: values that don't lie where a loop carries them, before it
  // begins and after each step, or where a branch's results are.
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
      made.launches.push_back(std::move(moves));
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
            known = isFirst || known == input ? input : Value(); // of several none
          }
        }
        continue;
      }
      if (classify(&op) == OperationClass::Control) {
        for (Region &region : op.getRegions()) {
          walk(region.front(), calls);
          if (op.hasAttr(buffersAttribute)) {
            addMoves(&op, region.front().getTerminator()->getOperands(), calls);
          }
        }
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
  llvm::DenseMap<Value, int64_t> unread;      // bytes of each input
  llvm::DenseMap<int64_t, int64_t> unwritten; // bytes of each result
  llvm::DenseMap<Value, Value> passed;        // the inputs that functions are called with
  KernelCosts &kernels;
};
} // namespace

PlanCost planCost(ModuleOp module, KernelCosts *known) {
  KernelCosts none;
  return PlanTraversal(module, known ? *known : none).run();
}

} // namespace drumlin
