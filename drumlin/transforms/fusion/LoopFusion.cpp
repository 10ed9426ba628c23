// Visits operations from last to first. Each operation joins the kernel of its users or starts a
// new kernel.
//
// The cost model counts evaluations: an operation inside a kernel is evaluated for every element
// that its users read at their own indices. If the number of evaluations, weighted by the cost of
// one evaluation, is several times the number of elements, fusion is declined: storing the value is
// then cheaper. If an operation's users are in several kernels of one shape, these kernels merge
// into one kernel with several roots. If the value is also needed in memory, the operation becomes
// a root itself. Neither is done if kernels would then depend on each other. If kernels of users
// stay separate, a cheap operation on one value of the result's size is rematerialized in each of
// them: each kernel then reads that value instead of a stored result.
#include "drumlin/ir/costs/Evaluations.h"
#include "drumlin/ir/plan/OperationClasses.h"
#include "drumlin/ir/plan/loop/LoopProblem.h"
#include "drumlin/transforms/KernelFormation.h"
#include "drumlin/transforms/Reasons.h"
#include "drumlin/transforms/Rules.h"
#include "drumlin/transforms/fusion/FusionGraph.h"
#include "drumlin/transforms/fusion/Passes.h"

#include "drumlin/ir/costs/Work.h"
#include "drumlin/ir/plan/Reducers.h"
#include "drumlin/ir/sizes/SizeSymbols.h"
#include "drumlin/ir/stablehlo/AndOp.h"
#include "drumlin/ir/stablehlo/BroadcastInDimOp.h"
#include "drumlin/ir/stablehlo/CompareOp.h"
#include "drumlin/ir/stablehlo/ConcatenateOp.h"
#include "drumlin/ir/stablehlo/ConstantOp.h"
#include "drumlin/ir/stablehlo/MaxOp.h"
#include "drumlin/ir/stablehlo/MinOp.h"
#include "drumlin/ir/stablehlo/NotOp.h"
#include "drumlin/ir/stablehlo/OptimizationBarrierOp.h"
#include "drumlin/ir/stablehlo/OrOp.h"
#include "drumlin/ir/stablehlo/ReduceOp.h"
#include "drumlin/ir/stablehlo/ReduceWindowOp.h"
#include "drumlin/ir/stablehlo/ReshapeOp.h"
#include "drumlin/ir/stablehlo/SelectOp.h"
#include "mlir/IR/IRMapping.h"

using namespace mlir;

namespace drumlin {

#define GEN_PASS_DEF_LOOPFUSIONPASS
#include "drumlin/transforms/fusion/Passes.h.inc"

// A separate kernel with one traversal over tiny data costs a launch. Repeating fewer operations
// than this is always cheaper.
static constexpr int64_t operationsPerLaunch = 2048;

// A reduction with fewer operations is faster on one thread than shared between two.
static constexpr int64_t operationsPerThread = 32 * 1024;

// Maximum operations per element that a kernel rematerializes instead of loading a stored value.
static constexpr int64_t maxRepeatedOperations = 16;

// Maximum operands of a concatenation in one kernel: separate code copies each operand.
static constexpr size_t maxConcatenated = 128;

static Evaluations evaluationsOf(const FusionGroup &loop) {
  SmallVector<Operation *> ops(loop.kernel.fused.begin(), loop.kernel.fused.end());
  ops.append(loop.kernel.rematerialized.begin(), loop.kernel.rematerialized.end());
  llvm::sort(ops, [](Operation *a, Operation *b) { return a->isBeforeInBlock(b); });
  SmallVector<Value> roots;
  for (Operation *root : loop.roots) {
    roots.append(root->result_begin(), root->result_end());
  }
  Evaluations evaluations(ops);
  evaluations.walk(roots, loop.shape());
  evaluations.run();
  return evaluations;
}

// Returns the number of combining operations of prefix scans that this loop would repeat, compared
// with a separate loop for each scan.
static double repeatedScanTerms(const FusionGroup &loop, const Evaluations &evaluations) {
  double terms = 0;
  for (Operation *op : loop.kernel.fused) {
    if (prefixScan(op) && op != evaluations.followedScan()) {
      terms += evaluations.of(op) * flopsPerEvaluation(op) -
               static_cast<double>(elementsOf(op->getResult(0)));
    }
  }
  return terms;
}

// Returns whether a reduction's bits depend on the order of its elements, which the surrounding
// loop determines: true for floating-point sums, not for minimum and maximum.
static bool roundsByOrder(Operation *op) {
  if (!isa<stablehlo::ReduceOp, stablehlo::ReduceWindowOp>(op) ||
      (isa<stablehlo::ReduceOp>(op) &&
       elementsOf(op->getOperand(0)) == elementsOf(op->getResult(0))) ||
      llvm::none_of(op->getResultTypes(), [](Type type) {
        return isa<FloatType, ComplexType>(getElementTypeOrSelf(type));
      })) {
    return false;
  }
  return llvm::any_of(op->getRegion(0).front().without_terminator(), [](Operation &inner) {
    return !isa<stablehlo::MaxOp, stablehlo::MinOp, stablehlo::CompareOp, stablehlo::SelectOp,
                stablehlo::AndOp, stablehlo::OrOp, stablehlo::NotOp, stablehlo::ConstantOp>(inner);
  });
}

static bool isOneElement(const FusionGroup &loop) {
  return llvm::all_of(loop.roots,
                      [](Operation *root) { return elementsOf(root->getResult(0)) == 1; });
}

class LoopFuser {
public:
  LoopFuser(Ledger &ledger) : ledger(ledger) {}

  void run(Block &block) {
    eraseUnused(block);
    for (Operation &op : llvm::make_early_inc_range(block)) {
      if (auto concatenation = dyn_cast<stablehlo::ConcatenateOp>(op)) {
        split(concatenation);
      }
    }
    for (Operation &op : llvm::reverse(block)) {
      if (isa<stablehlo::ConstantOp>(op)) {
        continue;
      }
      if (isFusible(&op)) {
        place(&op);
      } else {
        graph.addAlone(&op);
      }
    }
    formKernels(block);
    for (Operation &op : block) {
      if (classify(&op) == OperationClass::Control) {
        for (Region &region : op.getRegions()) {
          for (Block &inner : region) {
            LoopFuser(ledger).run(inner);
          }
        }
      }
    }
    eraseUnused(block); // e.g. constants that were copied into kernels
  }

private:
  // concatenate(a, b, c, d, …)  ==>  concatenate(concatenate(a, b), concatenate(c, d), …), with a
  // separate kernel for each inner concatenation, if one kernel would have too many operands.
  void split(stablehlo::ConcatenateOp op) {
    if (op.getInputs().size() > maxConcatenated) {
      ledger.record(Rule::SplitConcatenation, op, Decision::taken());
    }
    OpBuilder builder(op);
    auto dimension = static_cast<size_t>(op.getDimension());
    while (op.getInputs().size() > maxConcatenated) {
      SmallVector<Value> inputs(op.getInputs()), parts;
      for (size_t first = 0; first < inputs.size(); first += maxConcatenated) {
        ArrayRef<Value> part =
            ArrayRef(inputs).slice(first, std::min(maxConcatenated, inputs.size() - first));
        auto type = cast<RankedTensorType>(op.getType());
        SmallVector<int64_t> shape(type.getShape());
        shape[dimension] = 0;
        for (Value each : part) {
          shape[dimension] += shapeOf(each)[dimension];
        }
        parts.push_back(part.size() == 1 ? part.front()
                                         : stablehlo::ConcatenateOp::create(builder, op.getLoc(),
                                                                            type.clone(shape), part,
                                                                            op.getDimension()));
      }
      op->setOperands(parts);
    }
  }

  void formKernels(Block &block) {
    SmallVector<FusionGroup *> loops = graph.loops();
    llvm::sort(loops, [](FusionGroup *a, FusionGroup *b) {
      return b->roots.front()->isBeforeInBlock(a->roots.front());
    });
    SmallVector<Operation *> alone;
    llvm::erase_if(loops, [&](FusionGroup *loop) {
      bool isAlone = loop->kernel.fused.size() == 1 && loop->kernel.rematerialized.empty() &&
                     isReshape(loop->roots.front());
      if (isAlone) {
        alone.push_back(loop->roots.front());
      }
      return isAlone;
    });
    separateCopies(loops);
    for (Operation *op : alone) {
      replaceByReshape(op);
    }
    for (FusionGroup *loop : loops) {
      formKernel(loop->kernel);
    }
    restoreOrder(block);
  }

  // Returns whether the operation is a reshape, which is free outside kernels, or a broadcast that
  // is equivalent to a reshape.
  static bool isReshape(Operation *op) {
    auto broadcast = dyn_cast<stablehlo::BroadcastInDimOp>(op);
    return broadcast ? insertsUnitDimensions(broadcast) : isa<stablehlo::ReshapeOp>(op);
  }
  static void replaceByReshape(Operation *op) {
    if (auto broadcast = dyn_cast<stablehlo::BroadcastInDimOp>(op)) {
      OpBuilder builder(op);
      op->replaceAllUsesWith(stablehlo::ReshapeOp::create(
          builder, op->getLoc(), broadcast.getType(), broadcast.getOperand()));
      op->erase();
    }
  }

  // Returns whether the broadcast keeps the operand's dimensions in order and only adds dimensions
  // of size 1.
  static bool insertsUnitDimensions(stablehlo::BroadcastInDimOp op) {
    std::vector<SizeExpression> from = symbolicSizesOf(op.getOperand()),
                                to = symbolicSizesOf(op.getResult());
    ArrayRef<int64_t> dimensions = op.getBroadcastDimensions();
    if (!llvm::is_sorted(dimensions)) {
      return false;
    }
    std::vector<SizeExpression> expected(to.size(), SizeExpression(1));
    for (auto [size, dimension] : llvm::zip(from, dimensions)) {
      expected[static_cast<size_t>(dimension)] = size;
    }
    return expected == to;
  }

  // Clones the operations that a kernel rematerializes, so that forming another kernel can't change
  // or erase them. Clones all these operations before replacing any use: a rematerialized operation
  // may be fused into another kernel.
  static void separateCopies(ArrayRef<FusionGroup *> loops) {
    std::vector<IRMapping> mappings(loops.size());
    for (auto [loop, mapping] : llvm::zip(loops, mappings)) {
      SmallVector<Operation *> again = loop->kernel.rematerialized.takeVector();
      llvm::sort(again, [](Operation *a, Operation *b) { return a->isBeforeInBlock(b); });
      for (Operation *op : again) {
        OpBuilder builder(op->getContext());
        builder.setInsertionPointAfter(op);
        loop->kernel.rematerialized.insert(builder.clone(*op, mapping));
      }
    }
    for (auto [loop, mapping] : llvm::zip(loops, mappings)) {
      for (Operation *fused : loop->kernel.fused) {
        fused->walk([&, &mapping = mapping](Operation *inner) {
          for (OpOperand &operand : inner->getOpOperands()) {
            operand.set(mapping.lookupOrDefault(operand.get()));
          }
        });
      }
    }
  }

  void eraseUnused(Block &block) {
    for (Operation &op : llvm::make_early_inc_range(llvm::reverse(block))) {
      if (op.use_empty() && isFusible(&op)) {
        ledger.record(Rule::EraseUnused, &op, Decision::taken());
        op.erase();
      }
    }
  }

  // The users of an operation: loops that are being formed, other groups, and the first user that
  // needs the value in memory.
  struct Users {
    llvm::SetVector<FusionGroup *> inside, outside;
    Operation *other = nullptr;
  };
  Users usersOf(Operation *op) {
    // The users in reverse block order. Use lists have no stable order: printing and parsing a
    // program changes their order.
    SmallVector<Operation *> last;
    for (Operation *user : op->getUsers()) {
      last.push_back(op->getBlock()->findAncestorOpInBlock(*user));
    }
    llvm::sort(last, [](Operation *a, Operation *b) { return a != b && b->isBeforeInBlock(a); });
    Users users;
    for (Operation *user : last) {
      for (FusionGroup *group : graph.groupsOf(user)) {
        if (group->isLoop) {
          users.inside.insert(group);
        } else {
          users.outside.insert(group);
          users.other = user;
        }
      }
    }
    return users;
  }

  static bool isFull(const FusionGroup *loop) { return loop->kernel.size() >= maxKernelOperations; }

  void place(Operation *op) {
    Users users = usersOf(op);
    bool free = isFree(op) && op->getNumResults() == 1;
    // A free operation is repeated in each kernel that uses it. It gets a separate kernel only if
    // it has users that aren't kernels, or if one of the kernels is full.
    if (free && !users.inside.empty() && !llvm::any_of(users.inside, isFull)) {
      if (!ledger.recordUnlessOff(Rule::LoopReadThrough, op, Decision::taken()).isTaken()) {
        graph.addLoop(op);
        return;
      }
      if (users.inside.size() == 1 && !users.other) {
        graph.addFused(*users.inside.front(), op);
        return;
      }
      for (FusionGroup *loop : users.inside) {
        graph.addRematerialized(*loop, op);
      }
      if (users.other) {
        graph.addLoop(op);
      }
      return;
    }
    if (users.inside.empty() && !isa<stablehlo::OptimizationBarrierOp>(users.other)) {
      ledger.record(Rule::LoopKernel, op, Decision::taken());
      graph.addLoop(op);
      return;
    }
    FusionGroup *target = users.inside.size() == 1 ? users.inside.front() : mergeUsers(op, users);
    Decision decision =
        ledger.recordUnlessOff(Rule::LoopFuseProducer, op, decideJoin(op, users, target));
    if (!decision.isTaken()) {
      if (!target && isCheapToRepeat(op) && !users.other &&
          ledger.recordUnlessOff(Rule::LoopRepeatProducer, op, decideRepeat(op, users)).isTaken()) {
        for (FusionGroup *loop : users.inside) {
          graph.addRematerialized(*loop, op);
        }
        return;
      }
      graph.addLoop(op);
      return;
    }
    graph.addFused(*target, op);
    if (users.other) {
      graph.addRoot(*target, op, users.outside.getArrayRef());
    }
  }

  // user(producer(x))  ==>  one kernel
  Decision decideJoin(Operation *op, const Users &users, FusionGroup *target) {
    if (!target && users.inside.empty()) {
      return Decision::declined(Reason::Barrier, users.other);
    }
    if (!target) {
      return Decision::declined(Reason::OtherUsers,
                                users.other ? users.other : users.inside.back()->roots.front());
    }
    if (target->kernel.size() + sizeInKernel(op) > maxKernelOperations) {
      return Decision::declined(Reason::OverBudget, target->roots.front());
    }
    FusionGroup trial = *target;
    trial.kernel.fused.insert(op);
    if (users.other) {
      // If the value is needed in memory too, it can become another root of the same traversal.
      if (op->getNumResults() != 1 || target->shape() != shapeOf(op->getResult(0)) ||
          graph.wouldCycle(target, users.outside.getArrayRef())) {
        return Decision::declined(Reason::OtherUsers, users.other);
      }
      trial.roots.push_back(op);
    }
    Evaluations evaluations = evaluationsOf(trial);
    double elements = static_cast<double>(elementsOf(op->getResult(0)));
    double again = evaluations.of(op) - elements;
    double each = static_cast<double>(std::max<int64_t>(operationsPerElement(op), 1));
    if (classify(op) == OperationClass::Reduction) {
      each = static_cast<double>(elementsOf(op->getOperand(0))) / std::max(elements, 1.0);
    }
    double scans = repeatedScanTerms(trial, evaluations);
    // Unfused, the value is stored and reloaded; if it is stored anyway, only the reload is saved.
    int64_t bytes = 0;
    for (Value result : op->getResults()) {
      bytes += byteSizeOf(cast<RankedTensorType>(result.getType())).value_or(0);
    }
    double repeated = std::max(again, 0.0) * each + std::max(scans, 0.0);
    Tradeoff tradeoff = {users.other ? bytes : 2 * bytes,
                         static_cast<int64_t>(std::min(repeated, 0x1p62))};
    // A sum evaluated in several loops may add up its elements in different orders, and so have
    // different values: for such sums x, x - max(x) could be above 0.
    bool differsByPlace = again > 0 && roundsByOrder(op) && evaluations.placesOf(op) > 1;
    // If all elements of a row share the reduction's result, vector lanes run along the reduced
    // dimension. That is slow if this dimension isn't the innermost one.
    bool isApart = classify(op) == OperationClass::Reduction && evaluations.isOfRow(op) &&
                   elements > 1 && !reducesInnermost(op) && each * elements > operationsPerLaunch;
    if (isApart) {
      return Decision::declined(Reason::TermsApart, target->roots.front()).with(tradeoff);
    }
    // A kernel with one result runs on one thread; unfused, many sums are shared among threads.
    bool isOneThreads = classify(op) == OperationClass::Reduction && elements > 1 &&
                        each * elements > operationsPerThread && isOneElement(*target);
    if (isOneThreads) {
      return Decision::declined(Reason::OneThread, target->roots.front()).with(tradeoff);
    }
    // Only a reduction that joins can break the kernel's row traversal.
    bool breaksRows = classify(op) == OperationClass::Reduction && evaluations.breaksRowTraversal();
    if (differsByPlace || breaksRows ||
        again * each + scans > operationsPerCopiedElement * elements + operationsPerLaunch) {
      return Decision::declined(Reason::Repeated, target->roots.front()).with(tradeoff);
    }
    return Decision::taken().with(tradeoff);
  }

  // Returns the bytes that a kernel reads from memory for a value: the size of the value from which
  // free operations, such as data movement, create it; 0 if they read nothing.
  static int64_t bytesBehind(Value value) {
    while (Operation *op = value.getDefiningOp()) {
      if (!isFree(op) || op->getNumOperands() == 0) {
        break;
      }
      value = op->getOperand(0);
    }
    Operation *op = value.getDefiningOp();
    return op && isFree(op) ? 0 : byteSizeOf(cast<RankedTensorType>(value.getType())).value_or(0);
  }

  // Returns whether an operation is cheap to repeat: it takes few operations per element, and reads
  // about as many bytes as its result has, or fewer.
  static bool isCheapToRepeat(Operation *op) {
    if (classify(op) != OperationClass::Pointwise || op->getNumResults() != 1 ||
        operationsPerElement(op) > operationsPerCopiedElement) {
      return false;
    }
    llvm::SmallSetVector<Value, 4> operands(op->operand_begin(), op->operand_end());
    int64_t read = 0,
            made = byteSizeOf(cast<RankedTensorType>(op->getResult(0).getType())).value_or(0);
    for (Value operand : operands) {
      read += bytesBehind(operand);
    }
    return read <= made + made / 8;
  }

  // a(producer(x)), b(producer(x))  ==>  two kernels that each compute producer(x).
  Decision decideRepeat(Operation *op, const Users &users) {
    auto elements = static_cast<double>(elementsOf(op->getResult(0)));
    double each = static_cast<double>(std::max<int64_t>(operationsPerElement(op), 1));
    double again = -elements;
    for (FusionGroup *loop : users.inside) {
      FusionGroup trial = *loop;
      trial.kernel.rematerialized.insert(op);
      if (trial.kernel.size() > maxKernelOperations) {
        return Decision::declined(Reason::OverBudget, loop->roots.front());
      }
      int64_t repeated = 0;
      for (Operation *other : trial.kernel.rematerialized) {
        repeated += operationsPerElement(other);
      }
      double evaluations = evaluationsOf(trial).of(op);
      again += evaluations;
      if (repeated > maxRepeatedOperations ||
          (evaluations - elements) * each > operationsPerCopiedElement * elements) {
        return Decision::declined(Reason::Repeated, loop->roots.front());
      }
    }
    // Unfused, the value is stored. Either way, the kernels read about equally many bytes: those of
    // the stored value, or those of the operand from which they compute it.
    int64_t bytes = byteSizeOf(cast<RankedTensorType>(op->getResult(0).getType())).value_or(0);
    return Decision::taken().with(
        {bytes, static_cast<int64_t>(std::min(std::max(again, 0.0) * each, 0x1p62))});
  }

  // a(producer(x)), b(producer(x))  ==>  one kernel of both, if they have one shape and don't
  // depend on each other.
  Decision decideMerge(Operation *op, const Users &users) {
    size_t size = 0;
    for (FusionGroup *loop : users.inside) {
      size += loop->kernel.size();
      if (loop->shape() != shapeOf(op->getResult(0))) {
        return Decision::declined(Reason::OtherUsers, loop->roots.front());
      }
    }
    if (size > maxKernelOperations) {
      return Decision::declined(Reason::OverBudget, users.inside.front()->roots.front());
    }
    if (graph.wouldCycle(users.inside.getArrayRef(), {})) {
      return Decision::declined(Reason::WouldCycle, users.inside.back()->roots.front());
    }
    // A traversal can follow at most one prefix scan.
    FusionGroup trial = *users.inside.front();
    for (FusionGroup *loop : llvm::drop_begin(users.inside)) {
      trial.kernel.fused.insert(loop->kernel.fused.begin(), loop->kernel.fused.end());
      trial.kernel.rematerialized.insert(loop->kernel.rematerialized.begin(),
                                         loop->kernel.rematerialized.end());
      trial.roots.append(loop->roots);
    }
    bool hasScans = llvm::any_of(trial.kernel.fused, prefixScan);
    if (hasScans && repeatedScanTerms(trial, evaluationsOf(trial)) > operationsPerLaunch) {
      return Decision::declined(Reason::Repeated, users.inside.back()->roots.front());
    }
    return Decision::taken();
  }

  // Merges the kernels that use an operation and returns the merged kernel; null if they stay
  // separate.
  FusionGroup *mergeUsers(Operation *op, const Users &users) {
    if (users.inside.empty() ||
        !ledger.recordUnlessOff(Rule::LoopMergeUsers, op, decideMerge(op, users)).isTaken()) {
      return nullptr;
    }
    graph.merge(users.inside.getArrayRef());
    return users.inside.front();
  }

  Ledger &ledger;
  FusionGraph graph;
};

struct LoopFusionPass : impl::LoopFusionPassBase<LoopFusionPass> {
  LoopFusionPass() = default;
  explicit LoopFusionPass(Ledger &ledger) : ledger(&ledger) {}

  void runOnOperation() override {
    Ledger own;
    Ledger &target = ledger ? *ledger : own;
    LoopFuser(target).run(getOperation().getBody().front());
  }

  Ledger *ledger = nullptr;
};

std::unique_ptr<Pass> createLoopFusionPass(Ledger &ledger) {
  return std::make_unique<LoopFusionPass>(ledger);
}

} // namespace drumlin
