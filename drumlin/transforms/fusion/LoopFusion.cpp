// From the last operation to the first, each joins the kernel of its users, or begins one of its
// own.
//
// The cost model counts evaluations: an operation inside a kernel is evaluated as often as its
// users ask for its elements at indices of their own. Joining is declined where that is several
// times the number of its elements (weighed by what one evaluation costs): then a copy in memory is
// cheaper. Where an operation's users are in several kernels of one shape, these become one kernel
// with several roots; where it is also needed in memory, it becomes a root itself; unless the
// kernels would need each other. What is little work on one value of its size is computed by each
// of its users' kernels, where they stay apart: each reads that value instead of a copy of the
// result.
#include "drumlin/ir/costs/Evaluations.h"
#include "drumlin/ir/plan/OperationClasses.h"
#include "drumlin/ir/plan/loop/LoopProblem.h"
#include "drumlin/transforms/KernelFormation.h"
#include "drumlin/transforms/fusion/FusionGraph.h"
#include "drumlin/transforms/fusion/Passes.h"

#include "drumlin/ir/costs/Work.h"
#include "drumlin/ir/plan/Reducers.h"
#include "drumlin/ir/sizes/SizeSymbols.h"
#include "drumlin/ir/stablehlo/StablehloOps.h"
#include "mlir/IR/IRMapping.h"

using namespace mlir;

namespace drumlin {

#define GEN_PASS_DEF_LOOPFUSIONPASS
#include "drumlin/transforms/fusion/Passes.h.inc"

// A kernel of one traversal over tiny data costs a launch; recomputing less than this many
// operations is always cheaper.
static constexpr int64_t operationsPerLaunch = 2048;

// Of a reduction: what is less on one thread than handing half of it to another one costs.
static constexpr int64_t operationsPerThread = 32 * 1024;

// Of the operations of one element that kernels compute again from what another one could have
// stored.
static constexpr int64_t maxRepeatedOperations = 16;

// Operands of a concatenation: each is a copy of its own.
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

// Combinations of prefix scans that the loop doesn't follow, beyond those that one of its own
// takes.
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

// Whether a reduction's bits depend on the order of its terms, which is that of the loop around it:
// sums of floating-point numbers; least and largest ones don't.
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
    eraseUnused(block); // constants among them that the kernels, of inner blocks too, now have
  }

private:
  // concatenate(a, b, c, d, …)  ==>  concatenate(concatenate(a, b), concatenate(c, d), …), whose
  // parts are kernels of their own where one kernel would have too many.
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

  // A reshape, which alone costs nothing outside a kernel, or a broadcast that is one.
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

  // Whether the operand's dimensions stay as they are, in their order, beside ones of size 1.
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

  // Makes the operations that a kernel repeats its own, so that no other kernel's formation changes
  // or erases them. All are copied before any is used: a repeated operation may be another kernel's
  // member.
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

  // Where an operation's users are: kernels in the making, or operations that need it in memory,
  // the first of them last.
  struct Users {
    llvm::SetVector<FusionGroup *> inside, outside;
    Operation *other = nullptr;
  };
  Users usersOf(Operation *op) {
    // From the last one to the first: the order of a list of uses tells how a program was made, and
    // a program that was printed and read again has another.
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
    // A free operation is repeated in each kernel that uses it, and stands on its own only for what
    // isn't a kernel, or where one is full.
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
      // The value is needed in memory too: it can be one more root of the same traversal.
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
    // Apart, the value is written and read, or only read where it is needed in memory anyway.
    int64_t bytes = 0;
    for (Value result : op->getResults()) {
      bytes += byteSizeOf(cast<RankedTensorType>(result.getType())).value_or(0);
    }
    double repeated = std::max(again, 0.0) * each + std::max(scans, 0.0);
    Tradeoff tradeoff = {users.other ? bytes : 2 * bytes,
                         static_cast<int64_t>(std::min(repeated, 0x1p62))};
    // Two loops may add the same terms up in two orders: then x - max(x) could be above 0.
    bool differsByPlace = again > 0 && roundsByOrder(op) && evaluations.placesOf(op) > 1;
    // Where a row shares its result, lanes run along what it reduces.
    bool isApart = classify(op) == OperationClass::Reduction && evaluations.isOfRow(op) &&
                   elements > 1 && !reducesInnermost(op) && each * elements > operationsPerLaunch;
    if (isApart) {
      return Decision::declined(Reason::TermsApart, target->roots.front()).with(tradeoff);
    }
    // One result is one thread's: many sums are shared among threads before it.
    bool isOneThreads = classify(op) == OperationClass::Reduction && elements > 1 &&
                        each * elements > operationsPerThread && isOneElement(*target);
    if (isOneThreads) {
      return Decision::declined(Reason::OneThread, target->roots.front()).with(tradeoff);
    }
    // Only a reduction that joins can break it: what the kernel computes so far has its traversal.
    bool breaksRows = classify(op) == OperationClass::Reduction && evaluations.breaksRowTraversal();
    if (differsByPlace || breaksRows ||
        again * each + scans > operationsPerCopiedElement * elements + operationsPerLaunch) {
      return Decision::declined(Reason::Repeated, target->roots.front()).with(tradeoff);
    }
    return Decision::taken().with(tradeoff);
  }

  // The bytes of memory that a kernel reads for a value: of what it is moved from.
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

  // Whether an operation is little work, on values of which all but a small part is one of no more
  // bytes than the result.
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

  // a(producer(x)), b(producer(x))  ==>  two kernels that compute it, each from x.
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
    // Apart, the value is written; it is read either way, or what it is made of.
    int64_t bytes = byteSizeOf(cast<RankedTensorType>(op->getResult(0).getType())).value_or(0);
    return Decision::taken().with(
        {bytes, static_cast<int64_t>(std::min(std::max(again, 0.0) * each, 0x1p62))});
  }

  // a(producer(x)), b(producer(x))  ==>  one kernel of both, where they have one shape and don't
  // need each other.
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
    // A traversal follows one prefix scan.
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

  // The one kernel of all users of an operation that are in kernels; null where they stay apart.
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
