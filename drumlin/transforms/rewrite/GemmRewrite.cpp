// Each dot and convolution absorbs its producers (prologue) and consumers (epilogue), and becomes
// one plan.gemm. Decisions depend only on the operations themselves, never on the order in which
// they were written or rewritten.
#include "drumlin/ir/costs/Evaluations.h"
#include "drumlin/ir/plan/Epilogue.h"
#include "drumlin/ir/plan/OperationClasses.h"
#include "drumlin/ir/plan/gemm/GemmPanels.h"
#include "drumlin/transforms/KernelFormation.h"
#include "drumlin/transforms/Reasons.h"
#include "drumlin/transforms/Rules.h"
#include "drumlin/transforms/rewrite/Passes.h"

#include "drumlin/ir/plan/Reducers.h"
#include "drumlin/ir/stablehlo/ConstantOp.h"
#include "drumlin/ir/stablehlo/ConvertOp.h"
#include "drumlin/ir/stablehlo/ConvolutionOp.h"
#include "drumlin/ir/stablehlo/DotGeneralOp.h"
#include "drumlin/ir/stablehlo/DynamicUpdateSliceOp.h"
#include "drumlin/ir/stablehlo/OptimizationBarrierOp.h"
#include "drumlin/ir/stablehlo/ProductRoles.h"
#include "drumlin/ir/stablehlo/ReduceOp.h"
#include "drumlin/ir/stablehlo/ReshapeOp.h"
#include "drumlin/ir/stablehlo/ScatterOp.h"

using namespace mlir;

namespace drumlin {

#define GEN_PASS_DEF_GEMMREWRITEPASS
#include "drumlin/transforms/rewrite/Passes.h.inc"

#include <set>

// A producer is computed while the operand is packed, once for each tile that needs it. With more
// operations per element than this, it is better to compute the value once into memory.
static constexpr int64_t maxPrologueOperations = 8;

// A producer that is evaluated at more indices than this is computed once into memory. Each index
// needs separate code. In a chain in which each step needs two indices, such as an associative
// scan, the code would double with each step.
static constexpr size_t maxPrologueIndices = 4;
// Groups of fewer operations can't exceed maxPrologueIndices, so their indices aren't counted.
static constexpr size_t fewestWithManyIndices = 6;

// Maximum operations per element of a chain of producers that is recomputed although its value is
// in memory as well.
static constexpr int64_t maxRepeatedOperations = 16;
// Reading at most this many bits is cheaper than launching a kernel to avoid it (about a
// microsecond).
static constexpr int64_t launchBits = 8 * 16384;

static bool isGemmHero(Operation &op) {
  return isa<stablehlo::DotGeneralOp, stablehlo::ConvolutionOp>(op);
}

static int64_t bitsOf(Value value) {
  return elementsOf(value) * info(elementTypeOf(value.getType())).bits;
}

// Returns whether a conversion, ignoring data movement, yields fewer bits than its source. Its
// result is then the smallest form of the value, and is stored if several operations read it.
static bool isNarrowing(Operation *op) {
  if (!isa<stablehlo::ConvertOp>(op)) {
    return false;
  }
  Value source = op->getOperand(0);
  while (source.getDefiningOp() && isFree(source.getDefiningOp()) &&
         source.getDefiningOp()->getNumOperands() == 1) {
    source = source.getDefiningOp()->getOperand(0);
  }
  return bitsOf(op->getResult(0)) < bitsOf(source);
}

// A value that takes more operations than this is considered expensive, even if it has one element.
// Without this limit, a sum over layers would be followed back to the first layer once for each
// layer.
static constexpr size_t maxFollowedOperations = 256;

// The cost of recomputing a value from the inputs of its cheap producers.
struct RepeatCost {
  int64_t operations = 0, bits = 0;
};
static RepeatCost costToRepeat(Operation *producer) {
  RepeatCost cost;
  llvm::SmallPtrSet<Operation *, 8> seen;
  llvm::SmallPtrSet<Value, 8> leaves;
  SmallVector<Operation *> worklist = {producer};
  while (!worklist.empty()) {
    Operation *op = worklist.pop_back_val();
    if (!seen.insert(op).second) {
      continue;
    }
    if (seen.size() > maxFollowedOperations) {
      constexpr int64_t most = std::numeric_limits<int64_t>::max();
      return {most, most};
    }
    cost.operations += operationsPerElement(op);
    for (Value operand : op->getOperands()) {
      Operation *defining = operand.getDefiningOp();
      bool isCheap = defining && !isNarrowing(defining) &&
                     (isFree(defining) || classify(defining) == OperationClass::Pointwise);
      if (isCheap) {
        worklist.push_back(defining);
      } else if (leaves.insert(operand).second) {
        cost.bits += bitsOf(operand);
      }
    }
  }
  return cost;
}

// Returns whether a value is computed from fewer bits than it has, by few operations.
static bool isWidened(Operation *producer) {
  RepeatCost cost = costToRepeat(producer);
  return cost.operations <= maxRepeatedOperations && cost.bits < bitsOf(producer->getResult(0));
}

// Returns whether recomputing a value reads no more bytes than loading it from memory. A single
// element is computed once per kernel.
static bool isCheapToRepeat(Operation *producer) {
  RepeatCost cost = costToRepeat(producer);
  bool isSingle = elementsOf(producer->getResult(0)) == 1;
  return (isSingle || cost.operations <= maxRepeatedOperations) &&
         (cost.bits < bitsOf(producer->getResult(0)) || cost.bits <= launchBits);
}

// Returns whether a value is used, through pointwise operations and data movement, only as an
// operand of dots and convolutions, whose kernels recompute these operations.
static bool feedsOnlyProducts(Operation *op) {
  SmallVector<Operation *> worklist = {op};
  llvm::SmallPtrSet<Operation *, 8> seen;
  while (!worklist.empty()) {
    for (Operation *user : worklist.pop_back_val()->getUsers()) {
      if (isGemmHero(*user) || !seen.insert(user).second) {
        continue;
      }
      bool isAbsorbed = user->getBlock() == op->getBlock() &&
                        (isFree(user) || classify(user) == OperationClass::Pointwise) &&
                        bitsOf(user->getResult(0)) >= bitsOf(op->getResult(0));
      if (!isAbsorbed) {
        return false;
      }
      worklist.push_back(user);
    }
  }
  return true;
}

// Returns whether elementwise operations compute a value of many rows from sums over these rows, as
// at the end of a layer norm.
static bool endsNormalization(Operation *op) {
  int64_t elements = elementsOf(op->getResult(0));
  SmallVector<Operation *> worklist = {op};
  llvm::SmallPtrSet<Operation *, 8> seen;
  while (!worklist.empty() && seen.size() < maxFollowedOperations) {
    Operation *current = worklist.pop_back_val();
    if (!seen.insert(current).second) {
      continue;
    }
    if (auto reduce = dyn_cast<stablehlo::ReduceOp>(current)) {
      int64_t rows = elementsOf(reduce->getResult(0));
      if (rows > 1 && rows < elements && elementsOf(reduce.getInputs().front()) == elements) {
        return true;
      }
      continue;
    }
    for (Value operand : current->getOperands()) {
      Operation *defining = operand.getDefiningOp();
      if (defining && !plan::kernelKindOf(defining)) {
        OperationClass kind = classify(defining);
        if (kind == OperationClass::Pointwise || kind == OperationClass::DataMovement ||
            kind == OperationClass::Reduction) {
          worklist.push_back(defining);
        }
      }
    }
  }
  return false;
}

// Returns whether the hero reads its input at several positions of a window.
static bool hasWindow(Operation *hero) {
  auto convolution = dyn_cast<stablehlo::ConvolutionOp>(hero);
  if (!convolution) {
    return false;
  }
  ArrayRef<int64_t> shape = shapeOf(convolution.getRhs());
  return llvm::any_of(convolution.getDimensionNumbers().getKernelSpatialDimensions(),
                      [&](int64_t dimension) { return shape[static_cast<size_t>(dimension)] > 1; });
}

// Returns the first user of the operation's results that isn't fused into the group, or null.
static Operation *firstOtherUser(Operation *op, const KernelGroup &group) {
  for (Operation *user : op->getUsers()) {
    Operation *ancestor = op->getBlock()->findAncestorOpInBlock(*user);
    if (!ancestor || !group.fused.contains(ancestor)) {
      return ancestor ? ancestor : user;
    }
  }
  return nullptr;
}

// Returns the number of indices at which the group would evaluate the producer.
static size_t indicesAskedAt(Operation *producer, const KernelGroup &group) {
  SmallVector<Operation *> ops(group.fused.begin(), group.fused.end());
  ops.append(group.rematerialized.begin(), group.rematerialized.end());
  ops.push_back(producer);
  llvm::sort(ops, [](Operation *a, Operation *b) { return a->isBeforeInBlock(b); });
  Evaluations evaluations(ops);
  evaluations.give(group.hero->getResult(0));
  for (Value operand : group.hero->getOperands()) {
    evaluations.ask(operand, static_cast<double>(elementsOf(operand)));
  }
  SmallVector<Value> results;
  for (Operation *op : group.fused) {
    if (op != group.hero && firstOtherUser(op, group)) {
      append_range(results, op->getResults());
    }
  }
  if (!results.empty()) {
    evaluations.askTogether(results, static_cast<double>(elementsOf(results.front())));
  }
  evaluations.run();
  return evaluations.placesOf(producer);
}

// Returns the operation that updates a part of a value; null if there is none. The update is done
// in place if the value has no later readers, and a GEMM that reads a slice of the value in place
// could be such a reader.
static Operation *updateOf(Value value) {
  for (OpOperand &use : value.getUses()) {
    if (isa<stablehlo::DynamicUpdateSliceOp, stablehlo::ScatterOp>(use.getOwner()) &&
        use.getOperandNumber() == 0) {
      return use.getOwner();
    }
  }
  return nullptr;
}

// operand of hero = f(x)  ==>  hero reads x, and computes f while it packs
static Decision decideProducer(Operation *producer, const KernelGroup &group, bool isRepeated) {
  OperationClass kind = classify(producer);
  if (isa<stablehlo::OptimizationBarrierOp>(producer)) {
    return Decision::declined(Reason::Barrier, producer);
  }
  if (isComputedSlice(producer)) {
    Operation *update = updateOf(producer->getOperand(0));
    return update ? Decision::declined(Reason::OtherUsers, update) : Decision::taken();
  }
  if (kind != OperationClass::Constant && kind != OperationClass::DataMovement &&
      kind != OperationClass::Pointwise) {
    return Decision::declined(Reason::NotPointwise, producer);
  }
  if (isFree(producer)) {
    return Decision::taken();
  }
  if (isRepeated && operationsPerElement(producer) > maxPrologueOperations) {
    return Decision::declined(Reason::Repeated, producer,
                              "use a cheaper operation, or accept a copy in memory");
  }
  if (group.size() >= fewestWithManyIndices &&
      indicesAskedAt(producer, group) > maxPrologueIndices) {
    return Decision::declined(Reason::Repeated, group.hero);
  }
  // Recomputing from fewer bytes is worthwhile, e.g. from narrow elements and their scales.
  Operation *other = firstOtherUser(producer, group);
  if (other && !isCheapToRepeat(producer)) {
    return Decision::declined(Reason::OtherUsers, other);
  }
  return Decision::taken();
}

// operand of hero = f(x), which the hero would compute  ==>  the same, unless the model type
// requires that f(x) is computed once
static Decision decideByType(Operation *producer, const KernelGroup &group,
                             const ModelTypeInfo &type) {
  auto dot = dyn_cast<stablehlo::DotGeneralOp>(group.hero);
  bool isLayer = dot && stablehlo::ProductRoles(dot).batchCount() == 0;
  bool isKept = (type.keepsNormalizations && isLayer && endsNormalization(producer)) ||
                (type.keepsActivations && hasWindow(group.hero) && !isWidened(producer));
  if (isFree(producer) || !isKept) {
    return Decision::taken();
  }
  return Decision::declined(Reason::ModelType, group.hero,
                            "drop `--model-type " + std::string(type.name) + "`");
}

// Decides whether to absorb a producer of an epilogue operand, such as a bias, a scale or a mask.
static Decision decideSideProducer(Operation *producer, const KernelGroup &group) {
  if (dependsOnGroupThroughOutside(producer->getResult(0), group)) {
    return Decision::declined(Reason::WouldCycle, producer);
  }
  // If the value has as many elements as the result, each element is computed only once.
  bool isRepeated = elementsOf(producer->getResult(0)) < elementsOf(group.hero->getResult(0));
  return decideProducer(producer, group, isRepeated);
}

// Returns whether the block returns the operation's result, possibly reshaped.
static bool isReturned(Operation *op) {
  SmallVector<Operation *> names = {op};
  while (!names.empty()) {
    for (Operation *user : names.pop_back_val()->getUsers()) {
      if (user->hasTrait<OpTrait::IsTerminator>()) {
        return true;
      }
      if (isa<stablehlo::ReshapeOp>(user)) {
        names.push_back(user);
      }
    }
  }
  return false;
}

// f(hero, …)  ==>  one kernel that applies f to the accumulator
static Decision decideConsumer(Operation *consumer, Value through, const KernelGroup &group,
                               const Epilogue &epilogue) {
  if (isa<stablehlo::OptimizationBarrierOp>(consumer)) {
    return Decision::declined(Reason::Barrier, consumer);
  }
  if (isReordering(consumer)) {
    return Decision::taken();
  }
  if (classify(consumer) != OperationClass::Pointwise) {
    return Decision::declined(Reason::NotPointwise, consumer);
  }
  if (elementsOf(consumer->getResult(0)) != elementsOf(through)) {
    return Decision::declined(Reason::ShapeDiffers, consumer);
  }
  for (Value operand : consumer->getOperands()) {
    Operation *defining = operand.getDefiningOp();
    if (defining && !group.fused.contains(defining) &&
        dependsOnGroupThroughOutside(operand, group)) {
      return Decision::declined(Reason::WouldCycle, defining);
    }
  }
  if (std::optional<EpilogueFault> fault = epilogue.faultOf(consumer)) {
    return Decision::declined(*fault == EpilogueFault::TwoOrders ? Reason::TwoOrders
                              : *fault == EpilogueFault::Reduced ? Reason::WouldCycle
                                                                 : Reason::NotPointwise,
                              group.hero);
  }
  return Decision::taken();
}

// reduce(|f(hero)|) over all dimensions  ==>  the same kernel yields it (amax)
static Decision decideFullReduction(Operation *consumer, const KernelGroup &group) {
  auto reduce = dyn_cast<stablehlo::ReduceOp>(consumer);
  if (!reduce || reduce.getInputs().size() != 1 || !knownReducer(reduce.getBody()) ||
      reduce.getDimensions().size() != shapeOf(reduce.getInputs().front()).size()) {
    return Decision::declined(Reason::NotPointwise, consumer);
  }
  Operation *init = reduce.getInitValues().front().getDefiningOp();
  if (!isKernelConstant(init)) {
    return Decision::declined(Reason::NotConstant, init);
  }
  return Decision::taken();
}

class GemmRewriter {
public:
  GemmRewriter(Ledger &ledger, ModelType type) : type(info(type)), ledger(ledger) {}

  // Number of producers that the model type kept out of GEMMs.
  int64_t keptByType = 0;

  void run(Block &block) {
    SmallVector<Operation *> heroes;
    for (Operation &op : block) {
      for (Region &region : op.getRegions()) {
        if (classify(&op) == OperationClass::Control) {
          for (Block &inner : region) {
            run(inner);
          }
        }
      }
      if (isGemmHero(op)) {
        heroes.push_back(&op);
      }
    }
    for (Operation *hero : heroes) {
      KernelGroup group;
      group.kind = plan::KernelKind::gemm;
      group.hero = hero;
      group.fused.insert(hero);
      ledger.record(Rule::GemmKernel, hero, Decision::taken());
      absorbConsumers(group);
      absorbProducers(group);
      restoreOrder(formKernel(group));
    }
  }

private:
  void absorbConsumers(KernelGroup &group) {
    SmallVector<Value> frontier = {group.hero->getResult(0)};
    Epilogue epilogue(group.hero);
    while (!frontier.empty()) {
      Value through = frontier.pop_back_val();
      SmallVector<Operation *> users(through.getUsers());
      llvm::sort(users, [&](Operation *a, Operation *b) {
        Block *block = through.getParentBlock();
        Operation *x = block->findAncestorOpInBlock(*a), *y = block->findAncestorOpInBlock(*b);
        return x && y && x != y && x->isBeforeInBlock(y);
      });
      users.erase(std::unique(users.begin(), users.end()), users.end());
      for (Operation *user : users) {
        if (user->getBlock() != through.getParentBlock() || group.fused.contains(user) ||
            user->hasTrait<OpTrait::IsTerminator>()) {
          continue;
        }
        Decision decision = decideConsumer(user, through, group, epilogue);
        bool isReduction = !decision.isTaken() && isa<stablehlo::ReduceOp>(user);
        if (isReduction) {
          decision = decideFullReduction(user, group);
        }
        if (decision.isTaken() && group.size() >= maxKernelOperations) {
          decision = Decision::declined(Reason::OverBudget, group.hero);
        }
        // Unfused, the kernel's result would be stored and reloaded.
        decision.tradeoff = {2 * bitsOf(through) / 8, 0};
        decision = ledger.recordUnlessOff(Rule::GemmAbsorbConsumer, user, decision);
        if (!decision.isTaken()) {
          continue;
        }
        group.fused.insert(user);
        (void)epilogue.add(user); // accepted operations have no fault
        if (isReduction) {
          absorbScalarConsumers(user, group, epilogue);
        } else {
          frontier.push_back(user->getResult(0));
        }
      }
    }
    releaseTrailingMoves(group);
    releaseWidened(group);
  }

  // Leaves data movement without readers in the kernel to its users, which can read through it at
  // no cost. Exception: if the program returns the moved value, the value must be in memory in its
  // own order; but even then a reshape is left outside, where it is free. Data movement that also
  // has other users is rematerialized by them.
  void releaseTrailingMoves(KernelGroup &group) {
    SmallVector<Operation *> moves;
    for (Operation *op : group.fused) {
      if (op != group.hero && isReordering(op)) {
        moves.push_back(op);
      }
    }
    llvm::sort(moves, [](Operation *a, Operation *b) { return b->isBeforeInBlock(a); });
    for (Operation *move : moves) {
      bool isRead =
          llvm::any_of(move->getUsers(), [&](Operation *user) { return group.contains(user); });
      if (!isa<stablehlo::ReshapeOp>(move) && isReturned(move)) {
        continue;
      }
      if (isRead && firstOtherUser(move, group)) {
        group.rematerialized.insert(move);
      }
      if (!isRead || group.rematerialized.contains(move)) {
        group.fused.remove(move);
      }
      if (!group.contains(move)) {
        ledger.record(Rule::GemmAbsorbConsumer, move, Decision::declined(Reason::FreeForReaders));
      }
    }
  }

  // Removes values from the group if only GEMMs read them and they are wider than their source,
  // e.g. dequantized values. The GEMMs compute them, and the narrow source is stored.
  void releaseWidened(KernelGroup &group) {
    SmallVector<Operation *> order(group.fused.begin(), group.fused.end());
    llvm::sort(order, [](Operation *a, Operation *b) { return b->isBeforeInBlock(a); });
    for (Operation *op : order) {
      bool isTrailing =
          op != group.hero && !op->use_empty() &&
          llvm::none_of(op->getUsers(), [&](Operation *user) { return group.contains(user); });
      if (isTrailing && isWidened(op) && feedsOnlyProducts(op)) {
        group.fused.remove(op);
        ledger.record(Rule::GemmAbsorbConsumer, op, Decision::declined(Reason::FreeForReaders));
      }
    }
  }

  // Absorbs the operations that compute a value from the reduction's result alone, e.g. a
  // conversion of the amax.
  void absorbScalarConsumers(Operation *reduction, KernelGroup &group, Epilogue &epilogue) {
    Operation *current = reduction;
    while (current->getResult(0).hasOneUse() && group.size() < maxKernelOperations) {
      Operation *user = *current->getUsers().begin();
      if (user->getBlock() != current->getBlock() || classify(user) != OperationClass::Pointwise ||
          user->getNumOperands() != 1) {
        return;
      }
      Decision decision = Decision::taken();
      decision.tradeoff = {2 * bitsOf(current->getResult(0)) / 8, 0};
      if (!ledger.recordUnlessOff(Rule::GemmAbsorbConsumer, user, decision).isTaken()) {
        return;
      }
      group.fused.insert(user);
      (void)epilogue.add(user);
      current = user;
    }
  }

  // Visits the last producer of the block first, so that all its users are decided before it.
  void absorbProducers(KernelGroup &group) {
    auto isLater = [](Operation *a, Operation *b) { return b->isBeforeInBlock(a); };
    std::set<Operation *, decltype(isLater)> candidates(isLater);
    llvm::SmallPtrSet<Operation *, 16> feedsHero = {group.hero};
    auto addProducersOf = [&](Operation *op) {
      // The start of a slice is computed once, not for each element.
      for (Value operand :
           op->getOperands().take_front(isComputedSlice(op) ? 1 : op->getNumOperands())) {
        Operation *producer = operand.getDefiningOp();
        if (!producer || group.contains(producer) || isa<stablehlo::ConstantOp>(producer) ||
            producer->getBlock() != op->getBlock() || plan::kernelKindOf(producer) ||
            classify(producer) == OperationClass::Control) {
          continue;
        }
        candidates.insert(producer);
        if (feedsHero.contains(op)) {
          feedsHero.insert(producer);
        }
      }
    };
    llvm::for_each(group.fused, addProducersOf);
    while (!candidates.empty()) {
      Operation *producer = *candidates.begin();
      candidates.erase(candidates.begin());
      bool isOperand = feedsHero.contains(producer);
      Decision decision =
          isOperand ? decideProducer(producer, group, true) : decideSideProducer(producer, group);
      if (decision.isTaken() && group.size() + sizeInKernel(producer) > maxKernelOperations) {
        decision = Decision::declined(Reason::OverBudget, group.hero);
      }
      decision = ledger.recordUnlessOff(Rule::GemmAbsorbProducer, producer, decision);
      if (decision.isTaken() && isOperand) {
        decision = decideByType(producer, group, type);
        ledger.record(Rule::GemmAbsorbProducer, producer, decision);
        keptByType += decision.isTaken() ? 0 : 1;
      }
      if (decision.isTaken()) {
        (firstOtherUser(producer, group) ? group.rematerialized : group.fused).insert(producer);
        addProducersOf(producer);
      }
    }
  }

  const ModelTypeInfo &type;
  Ledger &ledger;
};

struct GemmRewritePass : impl::GemmRewritePassBase<GemmRewritePass> {
  using impl::GemmRewritePassBase<GemmRewritePass>::GemmRewritePassBase;
  GemmRewritePass(Ledger &ledger, ModelType type) : ledger(&ledger), chosen(type) {}

  void runOnOperation() override {
    std::optional<ModelType> named = chosen ? chosen : modelTypeOf(typeName);
    if (!named) {
      getOperation().emitError("unknown model type");
      return signalPassFailure();
    }
    ModelType type = *named;
    Ledger own;
    Ledger &into = ledger ? *ledger : own;
    GemmRewriter rewriter(into, type);
    rewriter.run(getOperation().getBody().front());
    if (type == ModelType::Generic) {
      return;
    }
    // Records one entry for the option itself: the number of values that it kept out of GEMMs, or
    // that it changed nothing.
    Decision decision = Decision::declined(Reason::NothingOfModelType);
    if (rewriter.keptByType > 0) {
      decision = Decision::taken();
      decision.remedy = "`--model-type " + std::string(info(type).name) + "` keeps " +
                        std::to_string(rewriter.keptByType) +
                        (rewriter.keptByType == 1 ? " value" : " values") + " out of GEMMs";
    }
    into.record(Rule::ModelType, getOperation().front().getTerminator(), decision);
  }

  Ledger *ledger = nullptr;
  std::optional<ModelType> chosen;
};

std::unique_ptr<Pass> createGemmRewritePass(Ledger &ledger, ModelType type) {
  return std::make_unique<GemmRewritePass>(ledger, type);
}

} // namespace drumlin
