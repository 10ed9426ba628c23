// Moves scales of dots' operands to the dots' results, if a result has fewer elements than the
// operand and the relaxation `reassociate` is allowed. Weights that are dequantized per channel are
// then multiplied as they are stored.
#include "drumlin/ir/stablehlo/DotGeneralOp.h"
#include "drumlin/transforms/Reasons.h"
#include "drumlin/transforms/Rules.h"
#include "drumlin/transforms/rewrite/Passes.h"

#include "drumlin/ir/stablehlo/StablehloTypes.h"
#include "drumlin/transforms/DotScales.h"

using namespace mlir;

namespace drumlin {

#define GEN_PASS_DEF_FACTORSCALESPASS
#include "drumlin/transforms/rewrite/Passes.h.inc"

// Unscaled numbers need the exponent range of f32, which bf16 has too.
static bool isWide(Value value) {
  ElementType type = elementTypeOf(getElementTypeOrSelf(value.getType()));
  return isFloat(type) && info(type).exponentBits >= info(ElementType::F32).exponentBits &&
         info(type).bits >= 16;
}

// dot(a * s, b) = s * dot(a, b) if s is constant along the contracting dimensions
static Decision decide(stablehlo::DotGeneralOp dot, ScaledOperand scaled) {
  if (dot.getAlgorithm()) {
    return Decision::declined(Reason::AlgorithmAsked, dot, "remove the dot's `algorithm`");
  }
  // If the scaled operand has other users, the multiplication is needed anyway.
  if (!scaled.product->hasOneUse()) {
    return Decision::declined(Reason::OtherUsers, scaled.product, "scale it for this dot alone");
  }
  auto width = [](Value value) {
    return getElementTypeOrSelf(value.getType()).getIntOrFloatBitWidth();
  };
  bool holdsScale = isa<FloatType>(getElementTypeOrSelf(dot.getResult().getType())) &&
                    width(dot.getResult()) >= width(scaled.scale);
  if (!isWide(scaled.values) || !isWide(dot.getResult()) || !holdsScale) {
    return Decision::declined(Reason::NarrowRange, dot);
  }
  if (elementsOf(dot.getResult()) >= elementsOf(scaled.product.getResult())) {
    return Decision::declined(Reason::NoFewerProducts, dot);
  }
  Decision taken = Decision::taken();
  taken.remedy = std::to_string(elementsOf(scaled.product.getResult())) +
                 " multiplications become " + std::to_string(elementsOf(dot.getResult()));
  return taken;
}

struct FactorScalesPass : impl::FactorScalesPassBase<FactorScalesPass> {
  FactorScalesPass() = default;
  explicit FactorScalesPass(Ledger &ledger) : ledger(&ledger) {}

  void runOnOperation() override {
    Ledger own;
    Ledger &into = ledger ? *ledger : own;
    SmallVector<stablehlo::DotGeneralOp> dots;
    getOperation().walk([&](stablehlo::DotGeneralOp dot) { dots.push_back(dot); });
    bool hasAny = false;
    for (stablehlo::DotGeneralOp dot : dots) {
      for (unsigned operand : {0u, 1u}) {
        // The unscaled operand may have another scale.
        std::optional<ScaledOperand> scaled = scaledOperand(dot, operand);
        for (; scaled && visit(dot, *scaled, into); scaled = scaledOperand(dot, operand)) {
          hasAny = true;
        }
        hasAny |= scaled.has_value();
      }
    }
    if (!hasAny) {
      into.record(Rule::FactorScales, getOperation().front().getTerminator(),
                  Decision::declined(Reason::NothingToFactor));
    }
  }

private:
  // Records one entry for each scale, at the multiplication by that scale.
  bool visit(stablehlo::DotGeneralOp dot, ScaledOperand scaled, Ledger &into) {
    Decision decision =
        into.recordUnlessOff(Rule::FactorScales, scaled.product, decide(dot, scaled));
    if (!decision.isTaken()) {
      return false;
    }
    // The broadcast of the scale to the operand's shape is replaced too, so it also gets an entry.
    into.record(Rule::FactorScales, scaled.scale.getDefiningOp(), decision);
    factorScale(dot, scaled);
    return true;
  }

  Ledger *ledger = nullptr;
};

std::unique_ptr<Pass> createFactorScalesPass(Ledger &ledger) {
  return std::make_unique<FactorScalesPass>(ledger);
}

} // namespace drumlin
