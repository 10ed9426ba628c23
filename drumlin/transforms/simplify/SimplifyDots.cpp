// Simplifies dots, without changing the number of operations or bytes.
#include "drumlin/transforms/Reasons.h"
#include "drumlin/transforms/Rules.h"
#include "drumlin/transforms/simplify/Passes.h"

#include "drumlin/ir/stablehlo/ConvertOp.h"
#include "drumlin/ir/stablehlo/DotGeneralOp.h"
#include "drumlin/ir/stablehlo/TransposeOp.h"
#include "drumlin/transforms/DotSwap.h"
#include "mlir/IR/PatternMatch.h"

using namespace mlir;

namespace drumlin {

#define GEN_PASS_DEF_SIMPLIFYDOTSPASS
#include "drumlin/transforms/simplify/Passes.h.inc"

// transpose(dot(a, b)) = dot(b, a), if the transpose has the order batch, rhs free, lhs free
static Decision decideSwap(stablehlo::TransposeOp transpose) {
  auto dot = transpose.getOperand().getDefiningOp<stablehlo::DotGeneralOp>();
  if (!dot->hasOneUse()) {
    return Decision::declined(Reason::OtherUsers, dot);
  }
  if (dot.getAlgorithm()) {
    return Decision::declined(Reason::NotPointwise, dot, "remove the dot's `algorithm`");
  }
  if (!llvm::equal(transpose.getPermutation(), swappedResult(dot))) {
    return Decision::declined(Reason::NotPointwise, transpose,
                              "leave the batch dimensions in front, and swap the others");
  }
  return Decision::taken();
}

static void applySwap(stablehlo::TransposeOp transpose) {
  auto dot = transpose.getOperand().getDefiningOp<stablehlo::DotGeneralOp>();
  OpBuilder builder(transpose);
  auto made = swapOperands(builder, dot);
  transpose.replaceAllUsesWith(made.getResult());
  transpose.erase();
  dot.erase();
}

static bool isNarrowFloat(Type type) {
  ElementType element = elementTypeOf(getElementTypeOrSelf(type));
  return isFloat(element) && info(element).bits <= 8;
}

// dot(a, b) : z = dot(convert(a) : z, convert(b) : z), if all are floating-point types of at most 8
// bits
//
// The specification leaves open how operands of two such types are combined. The reference backend
// rounds them to the result's type before it multiplies. This rule makes the rounding explicit.
static bool needsOperandRounding(stablehlo::DotGeneralOp dot) {
  Type result = getElementTypeOrSelf(dot.getResult().getType());
  return isNarrowFloat(result) && llvm::any_of(dot->getOperands(), [&](Value operand) {
           return isNarrowFloat(operand.getType()) &&
                  getElementTypeOrSelf(operand.getType()) != result;
         });
}

static void roundOperands(stablehlo::DotGeneralOp dot) {
  OpBuilder builder(dot);
  Type result = getElementTypeOrSelf(dot.getResult().getType());
  for (OpOperand &operand : dot->getOpOperands()) {
    auto type = cast<RankedTensorType>(operand.get().getType());
    if (isNarrowFloat(type) && type.getElementType() != result) {
      operand.set(
          stablehlo::ConvertOp::create(builder, dot.getLoc(), type.clone(result), operand.get()));
    }
  }
}

struct SimplifyDotsPass : impl::SimplifyDotsPassBase<SimplifyDotsPass> {
  SimplifyDotsPass() = default;
  explicit SimplifyDotsPass(Ledger &ledger) : ledger(&ledger) {}

  void runOnOperation() override {
    Ledger own;
    Ledger &record = ledger ? *ledger : own;
    SmallVector<stablehlo::TransposeOp> transposes;
    getOperation().walk([&](stablehlo::TransposeOp transpose) {
      if (transpose.getOperand().getDefiningOp<stablehlo::DotGeneralOp>()) {
        transposes.push_back(transpose);
      }
    });
    for (stablehlo::TransposeOp transpose : transposes) {
      Decision decision =
          record.recordUnlessOff(Rule::DotSwapOperands, transpose, decideSwap(transpose));
      if (decision.isTaken()) {
        record.record(Rule::DotSwapOperands, transpose.getOperand().getDefiningOp(), decision);
        applySwap(transpose);
      }
    }
    getOperation().walk([&](stablehlo::DotGeneralOp dot) {
      if (needsOperandRounding(dot)) {
        if (record.recordUnlessOff(Rule::DotRoundOperands, dot, Decision::taken()).isTaken()) {
          roundOperands(dot);
        }
      }
    });
  }

  Ledger *ledger = nullptr;
};

std::unique_ptr<Pass> createSimplifyDotsPass(Ledger &ledger) {
  return std::make_unique<SimplifyDotsPass>(ledger);
}

} // namespace drumlin
