// Rules on dots that change neither their operations nor their bytes.
#include "drumlin/transforms/simplify/Passes.h"

#include "drumlin/ir/plan/PlanDialect.h"
#include "drumlin/ir/stablehlo/StablehloOps.h"
#include "mlir/IR/PatternMatch.h"

using namespace mlir;

namespace drumlin {

#define GEN_PASS_DEF_SIMPLIFYDOTSPASS
#include "drumlin/transforms/simplify/Passes.h.inc"

// transpose(dot(a, b), batch, rhs free, lhs free) = dot(b, a)
static Decision decideSwap(stablehlo::TransposeOp transpose) {
  auto dot = transpose.getOperand().getDefiningOp<stablehlo::DotGeneralOp>();
  if (!dot->hasOneUse()) {
    return Decision::declined(Reason::OtherUsers, dot);
  }
  if (dot.getAlgorithm()) {
    return Decision::declined(Reason::NotPointwise, dot, "remove the dot's `algorithm`");
  }
  auto numbers = dot.getDotDimensionNumbers();
  auto batch = static_cast<int64_t>(numbers.getLhsBatchingDimensions().size());
  auto lhsFree = shapeOf(dot.getLhs()).size() - numbers.getLhsBatchingDimensions().size() -
                 numbers.getLhsContractingDimensions().size();
  auto rank = static_cast<int64_t>(shapeOf(dot.getResult()).size());
  SmallVector<int64_t> swapped;
  llvm::append_range(swapped, llvm::seq<int64_t>(0, batch));
  llvm::append_range(swapped, llvm::seq<int64_t>(batch + static_cast<int64_t>(lhsFree), rank));
  llvm::append_range(swapped, llvm::seq<int64_t>(batch, batch + static_cast<int64_t>(lhsFree)));
  if (!llvm::equal(transpose.getPermutation(), swapped)) {
    return Decision::declined(Reason::NotPointwise, transpose,
                              "leave the batch dimensions in front, and swap the others");
  }
  return Decision::taken();
}

static void applySwap(stablehlo::TransposeOp transpose) {
  auto dot = transpose.getOperand().getDefiningOp<stablehlo::DotGeneralOp>();
  auto numbers = dot.getDotDimensionNumbers();
  auto swapped = stablehlo::DotDimensionNumbersAttr::get(
      dot.getContext(), numbers.getRhsBatchingDimensions(), numbers.getLhsBatchingDimensions(),
      numbers.getRhsContractingDimensions(), numbers.getLhsContractingDimensions());
  ArrayAttr precision = dot.getPrecisionConfigAttr();
  if (precision && precision.size() == 2) {
    precision = ArrayAttr::get(dot.getContext(), {precision[1], precision[0]});
  }
  OpBuilder builder(transpose);
  auto made =
      stablehlo::DotGeneralOp::create(builder, dot.getLoc(), transpose.getType(), dot.getRhs(),
                                      dot.getLhs(), swapped, precision, nullptr);
  if (!dot->hasAttr(plan::swappedAttribute)) {
    made->setAttr(plan::swappedAttribute, builder.getUnitAttr());
  }
  transpose.replaceAllUsesWith(made.getResult());
  transpose.erase();
  dot.erase();
}

static bool isNarrowFloat(Type type) {
  ElementType element = elementTypeOf(getElementTypeOrSelf(type));
  return isFloat(element) && info(element).bits <= 8;
}

// dot(a, b) : z = dot(convert(a) : z, convert(b) : z), where all are floating-point types of 8 bits
// and fewer
//
// The specification leaves open how operands of two such types meet. The reference backend rounds
// them to the result's type before it multiplies; so do we, visibly.
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
      Decision decision = record.settle("dot-swap-operands", transpose, decideSwap(transpose));
      if (decision.isTaken()) {
        applySwap(transpose);
      }
    }
    getOperation().walk([&](stablehlo::DotGeneralOp dot) {
      if (needsOperandRounding(dot)) {
        if (record.settle("dot-round-operands", dot, Decision::taken()).isTaken()) {
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
