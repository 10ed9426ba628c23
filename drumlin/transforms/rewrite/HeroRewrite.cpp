// Operations that walk their data in a way of their own: each becomes a kernel, alone. What feeds
// them is computed into memory, since they read it more than once.
#include "drumlin/ir/plan/OperationClasses.h"
#include "drumlin/transforms/KernelFormation.h"
#include "drumlin/transforms/rewrite/Passes.h"

using namespace mlir;

namespace drumlin {

#define GEN_PASS_DEF_HEROREWRITEPASS
#include "drumlin/transforms/rewrite/Passes.h.inc"

static void rewriteBlock(Block &block, Ledger &ledger) {
  for (Operation &op : llvm::make_early_inc_range(block)) {
    if (classify(&op) == OperationClass::Control) {
      for (Region &region : op.getRegions()) {
        for (Block &inner : region) {
          rewriteBlock(inner, ledger);
        }
      }
    }
    std::optional<plan::KernelKind> kind = plan::kernelKindOfHero(&op);
    if (kind && *kind != plan::KernelKind::gemm) {
      KernelGroup group;
      group.kind = *kind;
      group.hero = &op;
      group.fused.insert(&op);
      ledger.record(Rule::HeroKernel, &op, Decision::taken());
      formKernel(group);
    }
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
