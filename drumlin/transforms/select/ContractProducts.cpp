// If the relaxation `contract` is allowed, combines multiplications and additions in kernels into
// fused multiply-adds, which don't round the product.
#include "drumlin/ir/plan/FusedMultiplyAdd.h"
#include "drumlin/ir/stablehlo/MulOp.h"
#include "drumlin/transforms/PassTarget.h"
#include "drumlin/transforms/Reasons.h"
#include "drumlin/transforms/Rules.h"
#include "drumlin/transforms/select/Passes.h"

using namespace mlir;

namespace drumlin {

#define GEN_PASS_DEF_CONTRACTPRODUCTSPASS
#include "drumlin/transforms/select/Passes.h.inc"

// Returns the number of an operand of an addition or subtraction that is a product and can be
// fused. Prefers an operand without other users, and then the left operand.
static std::optional<unsigned> productOperand(Operation *op) {
  std::optional<unsigned> found;
  for (unsigned operand : {1u, 0u}) {
    std::optional<plan::FusedMultiplyAdd> fused =
        op->getNumOperands() == 2 ? plan::fusedMultiplyAdd(op, operand) : std::nullopt;
    if (fused && (!found || fused->product->hasOneUse())) {
      found = operand;
    }
  }
  return found;
}

// add(multiply(a, b), c) = fma(a, b, c), without the rounding of the product
static Decision decide(Operation *op, unsigned operand, const CpuTarget &target) {
  stablehlo::MulOp product = plan::fusedMultiplyAdd(op, operand)->product;
  if (!target.hasFma()) {
    return Decision::declined(Reason::NoFusedInstruction);
  }
  // If the rounded product has other users, the multiplication is needed anyway.
  if (!product->hasOneUse()) {
    return Decision::declined(Reason::OtherUsers, product, "use the product once");
  }
  Decision taken = Decision::taken();
  taken.remedy = "the product isn't rounded";
  return taken;
}

struct ContractProductsPass : impl::ContractProductsPassBase<ContractProductsPass> {
  using impl::ContractProductsPassBase<ContractProductsPass>::ContractProductsPassBase;
  ContractProductsPass(Ledger &ledger, const CpuTarget &target) : ledger(&ledger), target(target) {}

  void runOnOperation() override {
    if (!takeTarget(target, getOperation(), targetName)) {
      return signalPassFailure();
    }
    Ledger own;
    Ledger &into = ledger ? *ledger : own;
    bool hasAny = false;
    getOperation().walk([&](Operation *kernel) {
      if (!plan::kernelKindOf(kernel)) {
        return;
      }
      kernel->walk([&](Operation *op) {
        if (std::optional<unsigned> operand = productOperand(op)) {
          hasAny = true;
          visit(op, *operand, into);
        }
      });
    });
    if (!hasAny) {
      into.record(Rule::ContractProducts, getOperation().front().getTerminator(),
                  Decision::declined(Reason::NothingToContract));
    }
  }

private:
  void visit(Operation *op, unsigned operand, Ledger &into) {
    Decision decision =
        into.recordUnlessOff(Rule::ContractProducts, op, decide(op, operand, *target));
    if (decision.isTaken()) {
      op->setAttr(plan::fmaAttribute, Builder(op).getI64IntegerAttr(operand));
    }
  }

  Ledger *ledger = nullptr;
  std::optional<CpuTarget> target;
};

std::unique_ptr<Pass> createContractProductsPass(Ledger &ledger, const CpuTarget &target) {
  return std::make_unique<ContractProductsPass>(ledger, target);
}

} // namespace drumlin
