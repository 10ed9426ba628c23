// Forms a kernel for each operation that has its own traversal of its data. The producers of these
// operations, except Fourier transforms, are computed into memory, since the operations read their
// operands more than once. A complex number is two tensors in memory: a kernel on complex numbers
// combines the real and imaginary parts at its inputs and yields them separately.
#include "drumlin/ir/plan/Epilogue.h"
#include "drumlin/ir/plan/OperationClasses.h"
#include "drumlin/ir/stablehlo/AddOp.h"
#include "drumlin/ir/stablehlo/ComplexOp.h"
#include "drumlin/ir/stablehlo/ConstantOp.h"
#include "drumlin/ir/stablehlo/ImagOp.h"
#include "drumlin/ir/stablehlo/MulOp.h"
#include "drumlin/ir/stablehlo/NegOp.h"
#include "drumlin/ir/stablehlo/RealOp.h"
#include "drumlin/ir/stablehlo/SubtractOp.h"
#include "drumlin/transforms/KernelFormation.h"
#include "drumlin/transforms/Rules.h"
#include "drumlin/transforms/rewrite/Passes.h"

using namespace mlir;

namespace drumlin {

#define GEN_PASS_DEF_HEROREWRITEPASS
#include "drumlin/transforms/rewrite/Passes.h.inc"

static void absorbParts(Operation *hero, KernelGroup &group) {
  for (Value operand : hero->getOperands()) {
    if (auto complex = operand.getDefiningOp<stablehlo::ComplexOp>();
        complex && complex->getBlock() == hero->getBlock()) {
      group.rematerialized.insert(complex);
    }
  }
  for (Operation *user : hero->getUsers()) {
    if (isa<stablehlo::RealOp, stablehlo::ImagOp>(user) && user->getBlock() == hero->getBlock()) {
      group.fused.insert(user);
    }
  }
}

// Returns whether the operation is arithmetic, in a type of the transform, that costs no more than
// a load.
static bool isCheap(Operation *op) {
  auto isPlain = [](Type type) {
    auto element = getElementTypeOrSelf(type);
    return element.isF32() || element.isF64();
  };
  return isa<stablehlo::AddOp, stablehlo::SubtractOp, stablehlo::MulOp, stablehlo::NegOp>(op) &&
         isPlain(op->getResult(0).getType());
}

// Absorbs producers into a Fourier transform. The transform reads each operand element once, in any
// memory order, so it can compute data movement, and cheap arithmetic without other users, while it
// reads.
static void absorbProducers(KernelGroup &group) {
  constexpr size_t maxAbsorbed = 32;
  SmallVector<Value> worklist(group.hero->getOperands());
  while (!worklist.empty() && group.size() < maxAbsorbed) {
    Operation *op = worklist.pop_back_val().getDefiningOp();
    if (!op || op->getBlock() != group.hero->getBlock() || group.contains(op) ||
        isa<stablehlo::ConstantOp>(op)) {
      continue;
    }
    // A rematerialized user doesn't count: its original stays outside the kernel and still reads
    // the result of `op`.
    bool isAlone =
        llvm::all_of(op->getUsers(), [&](Operation *user) { return group.fused.contains(user); });
    if (isa<stablehlo::ComplexOp>(op) || isFree(op)) {
      (isAlone ? group.fused : group.rematerialized).insert(op);
    } else if (isAlone && isCheap(op)) {
      group.fused.insert(op);
    } else {
      continue;
    }
    llvm::append_range(worklist, op->getOperands());
  }
}

// Absorbs the operations that extract the real and imaginary parts of the transform's result, and
// the operations that reorder these parts if they have no other users.
static void absorbConsumers(KernelGroup &group) {
  for (Operation *user : group.hero->getUsers()) {
    if (!isa<stablehlo::RealOp, stablehlo::ImagOp>(user) ||
        user->getBlock() != group.hero->getBlock()) {
      continue;
    }
    group.fused.insert(user);
    for (Operation *last = user; last->hasOneUse();) {
      Operation *next = *last->getUsers().begin();
      if (next->getBlock() != group.hero->getBlock() || !isReordering(next)) {
        break;
      }
      // Another transform will read through this operation, so that both transforms use the same
      // lanes.
      if (next->hasOneUse() && isa<stablehlo::ComplexOp>(*next->getUsers().begin())) {
        break;
      }
      group.fused.insert(next);
      last = next;
    }
  }
}

static void rewrite(Operation *hero, plan::KernelKind kind, Ledger &ledger) {
  KernelGroup group;
  group.kind = kind;
  group.hero = hero;
  group.fused.insert(hero);
  if (kind == plan::KernelKind::fft) {
    absorbProducers(group);
    absorbConsumers(group);
  } else {
    absorbParts(hero, group);
  }
  for (Operation *each : llvm::concat<Operation *const>(group.fused, group.rematerialized)) {
    ledger.record(Rule::HeroKernel, each, Decision::taken());
  }
  restoreOrder(formKernel(group));
}

static void rewriteBlock(Block &block, Ledger &ledger) {
  SmallVector<Operation *> heroes;
  for (Operation &op : block) {
    if (classify(&op) == OperationClass::Control) {
      for (Region &region : op.getRegions()) {
        for (Block &inner : region) {
          rewriteBlock(inner, ledger);
        }
      }
    }
    std::optional<plan::KernelKind> kind = plan::kernelKindOfHero(&op);
    if (kind && *kind != plan::KernelKind::gemm) {
      heroes.push_back(&op);
    }
  }
  for (Operation *hero : heroes) {
    rewrite(hero, *plan::kernelKindOfHero(hero), ledger);
  }
}

struct HeroRewritePass : impl::HeroRewritePassBase<HeroRewritePass> {
  HeroRewritePass() = default;
  explicit HeroRewritePass(Ledger &ledger) : ledger(&ledger) {}

  void runOnOperation() override {
    Ledger own;
    rewriteBlock(getOperation().getBody().front(), ledger ? *ledger : own);
  }

  Ledger *ledger = nullptr;
};

std::unique_ptr<Pass> createHeroRewritePass(Ledger &ledger) {
  return std::make_unique<HeroRewritePass>(ledger);
}

} // namespace drumlin
