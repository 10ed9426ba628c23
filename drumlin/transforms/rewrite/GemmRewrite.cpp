// Each dot and convolution absorbs what feeds it (its prologue) and what follows it (its epilogue),
// and becomes one plan.gemm. Absorbing asks only what an operation is, never in which order
// operations were written or rewritten.
#include "drumlin/ir/plan/OperationClasses.h"
#include "drumlin/transforms/KernelFormation.h"
#include "drumlin/transforms/rewrite/Passes.h"

#include "drumlin/ir/plan/Reducers.h"
#include "drumlin/ir/stablehlo/StablehloOps.h"

using namespace mlir;

namespace drumlin {

#define GEN_PASS_DEF_GEMMREWRITEPASS
#include "drumlin/transforms/rewrite/Passes.h.inc"

// A producer is computed while the operand is packed, once for each tile that needs it: what costs
// more than this many operations an element is better computed once into memory.
static constexpr int64_t maxPrologueOperations = 8;

static bool isGemmHero(Operation &op) {
  return isa<stablehlo::DotGeneralOp, stablehlo::ConvolutionOp>(op);
}

static int64_t elementsOf(Value value) {
  return cast<RankedTensorType>(value.getType()).getNumElements();
}

// The first user of the operation's results that is not computed by the draft alone; null where
// there is none.
static Operation *firstOtherUser(Operation *op, const KernelDraft &draft) {
  for (Operation *user : op->getUsers()) {
    Operation *ancestor = op->getBlock()->findAncestorOpInBlock(*user);
    if (!ancestor || !draft.members.contains(ancestor)) {
      return ancestor ? ancestor : user;
    }
  }
  return nullptr;
}

// operand of hero = f(x)  ==>  hero reads x, and computes f while it packs
static Decision decideProducer(Operation *producer, const KernelDraft &draft) {
  OperationClass kind = classify(producer);
  if (isa<stablehlo::OptimizationBarrierOp>(producer)) {
    return Decision::declined(Reason::Barrier, producer);
  }
  if (kind != OperationClass::Constant && kind != OperationClass::Move &&
      kind != OperationClass::Pointwise) {
    return Decision::declined(Reason::NotPointwise, producer);
  }
  if (isFree(producer)) {
    return Decision::taken();
  }
  if (operationsPerElement(producer) > maxPrologueOperations) {
    return Decision::declined(Reason::Repeated, producer,
                              "use a cheaper operation, or accept a copy in memory");
  }
  // A conversion from fewer bytes is worth repeating: the narrow elements are what is read then.
  bool widens = isa<stablehlo::ConvertOp>(producer) &&
                getElementTypeOrSelf(producer->getOperand(0)).getIntOrFloatBitWidth() <
                    getElementTypeOrSelf(producer->getResult(0)).getIntOrFloatBitWidth();
  Operation *other = firstOtherUser(producer, draft);
  if (other && !widens) {
    return Decision::declined(Reason::OtherUsers, other);
  }
  return Decision::taken();
}

// A producer of a side operand of the epilogue (a bias, a scale, a mask).
static Decision decideSideProducer(Operation *producer, const KernelDraft &draft) {
  if (dependsOnDraftThroughOutside(producer->getResult(0), draft)) {
    return Decision::declined(Reason::WouldCycle, producer);
  }
  return decideProducer(producer, draft);
}

// f(hero, …)  ==>  one kernel that applies f to the accumulator
static Decision decideConsumer(Operation *consumer, Value through, const KernelDraft &draft) {
  if (isa<stablehlo::OptimizationBarrierOp>(consumer)) {
    return Decision::declined(Reason::Barrier, consumer);
  }
  if (classify(consumer) != OperationClass::Pointwise) {
    return Decision::declined(Reason::NotPointwise, consumer);
  }
  if (elementsOf(consumer->getResult(0)) != elementsOf(through)) {
    return Decision::declined(Reason::ShapeDiffers, consumer);
  }
  for (Value operand : consumer->getOperands()) {
    Operation *defining = operand.getDefiningOp();
    if (defining && !draft.members.contains(defining) &&
        dependsOnDraftThroughOutside(operand, draft)) {
      return Decision::declined(Reason::WouldCycle, defining);
    }
  }
  return Decision::taken();
}

// reduce(|f(hero)|) over all dimensions  ==>  the same kernel yields it (amax)
static Decision decideFullReduction(Operation *consumer, const KernelDraft &draft) {
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
  GemmRewriter(Ledger &ledger) : ledger(ledger) {}

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
      KernelDraft draft;
      draft.kind = plan::KernelKind::gemm;
      draft.hero = hero;
      draft.members.insert(hero);
      absorbConsumers(draft);
      absorbProducers(draft);
      restoreOrder(formKernel(draft));
    }
  }

private:
  void absorbConsumers(KernelDraft &draft) {
    SmallVector<Value> frontier = {draft.hero->getResult(0)};
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
        if (user->getBlock() != through.getParentBlock() || draft.members.contains(user) ||
            user->hasTrait<OpTrait::IsTerminator>()) {
          continue;
        }
        Decision decision = decideConsumer(user, through, draft);
        bool isReduction = !decision.isTaken() && isa<stablehlo::ReduceOp>(user);
        if (isReduction) {
          decision = decideFullReduction(user, draft);
        }
        ledger.record("gemm-absorb-consumer", user, decision);
        if (!decision.isTaken()) {
          continue;
        }
        draft.members.insert(user);
        if (isReduction) {
          absorbScalarConsumers(user, draft);
        } else {
          frontier.push_back(user->getResult(0));
        }
      }
    }
  }

  // What is computed from the reduced value alone comes along: a conversion of the amax, say.
  void absorbScalarConsumers(Operation *reduction, KernelDraft &draft) {
    Operation *current = reduction;
    while (current->getResult(0).hasOneUse()) {
      Operation *user = *current->getUsers().begin();
      if (user->getBlock() != current->getBlock() || classify(user) != OperationClass::Pointwise ||
          user->getNumOperands() != 1) {
        return;
      }
      draft.members.insert(user);
      current = user;
    }
  }

  void absorbProducers(KernelDraft &draft) {
    SmallVector<Operation *> worklist(draft.members.begin(), draft.members.end());
    while (!worklist.empty()) {
      Operation *op = worklist.pop_back_val();
      bool feedsHero = op == draft.hero || prologue.contains(op);
      for (Value operand : op->getOperands()) {
        Operation *producer = operand.getDefiningOp();
        if (!producer || draft.contains(producer) || isKernelConstant(producer) ||
            producer->getBlock() != op->getBlock() || plan::kernelKindOf(producer) ||
            classify(producer) == OperationClass::Control) {
          continue;
        }
        Decision decision =
            feedsHero ? decideProducer(producer, draft) : decideSideProducer(producer, draft);
        ledger.record("gemm-absorb-producer", producer, decision);
        if (!decision.isTaken()) {
          continue;
        }
        (firstOtherUser(producer, draft) ? draft.copies : draft.members).insert(producer);
        if (feedsHero) {
          prologue.insert(producer);
        }
        worklist.push_back(producer);
      }
    }
    prologue.clear();
  }

  Ledger &ledger;
  llvm::SmallPtrSet<Operation *, 16> prologue;
};

struct GemmRewritePass : impl::GemmRewritePassBase<GemmRewritePass> {
  GemmRewritePass() = default;
  explicit GemmRewritePass(Ledger &ledger) : ledger(&ledger) {}

  void runOnOperation() override {
    Ledger own;
    GemmRewriter(ledger ? *ledger : own).run(getOperation().getBody().front());
  }

  Ledger *ledger = nullptr;
};

std::unique_ptr<Pass> createGemmRewritePass(Ledger &ledger) {
  return std::make_unique<GemmRewritePass>(ledger);
}

} // namespace drumlin
