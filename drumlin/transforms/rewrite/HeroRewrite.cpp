// Operations that walk their data in a way of their own: each becomes a kernel, alone. What feeds
// them is computed into memory, since they read it more than once. In memory, complex numbers are
// two tensors: a kernel of complex numbers makes them of their parts, and yields their parts.
#include "drumlin/ir/plan/OperationClasses.h"
#include "drumlin/ir/stablehlo/StablehloOps.h"
#include "drumlin/transforms/KernelFormation.h"
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
    KernelGroup group;
    group.kind = *plan::kernelKindOfHero(hero);
    group.hero = hero;
    group.fused.insert(hero);
    absorbParts(hero, group);
    ledger.record(Rule::HeroKernel, hero, Decision::taken());
    restoreOrder(formKernel(group));
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
