// Accumulates scatters that add many updates to one element in a wider type, if the widened operand
// fits in L2. Each result is then rounded once to its own type. If each update were rounded, the
// error would grow with the number of updates.
#include "drumlin/transforms/PassTarget.h"
#include "drumlin/transforms/Reasons.h"
#include "drumlin/transforms/Rules.h"
#include "drumlin/transforms/rewrite/Passes.h"

#include "drumlin/ir/plan/heroes/ScatterProblem.h"
#include "drumlin/ir/sizes/SizeSymbols.h"
#include "drumlin/ir/stablehlo/AddOp.h"
#include "drumlin/ir/stablehlo/ConvertOp.h"
#include "drumlin/ir/stablehlo/ScatterOp.h"
#include "drumlin/ir/stablehlo/StablehloTypes.h"
#include "drumlin/ir/stablehlo/SubtractOp.h"
#include "drumlin/support/Cost.h"

using namespace mlir;

namespace drumlin {

#define GEN_PASS_DEF_WIDENSCATTERSPASS
#include "drumlin/transforms/rewrite/Passes.h.inc"

// Returns the maximum number of updates per element, of `bits` bits, for which roundings don't
// matter. For f32, it is the number of elements that other sums add one after another. For 16 bits,
// whose roundings are larger, it is as low as for scans. For 8 bits or fewer, it is one, since two
// roundings may change every digit.
static int64_t mostUpdatesOf(unsigned bits) { return bits >= 32 ? 256 : bits >= 16 ? 16 : 1; }

// Returns whether each result is the operand's element plus or minus its update.
static bool addsUpdates(stablehlo::ScatterOp scatter) {
  Block &body = scatter.getUpdateComputation().front();
  size_t count = scatter.getInputs().size();
  Operation *yield = body.getTerminator();
  if (!llvm::hasNItems(body, static_cast<unsigned>(count + 1))) {
    return false;
  }
  for (auto [k, value] : llvm::enumerate(yield->getOperands())) {
    Operation *op = value.getDefiningOp();
    auto number = static_cast<unsigned>(k);
    Value element = body.getArgument(number),
          update = body.getArgument(static_cast<unsigned>(count) + number);
    bool isSum = isa_and_present<stablehlo::AddOp, stablehlo::SubtractOp>(op) &&
                 op->getOperand(0) == element && op->getOperand(1) == update;
    bool isSwapped = isa_and_present<stablehlo::AddOp>(op) && op->getOperand(0) == update &&
                     op->getOperand(1) == element;
    if (!isSum && !isSwapped) {
      return false;
    }
  }
  return true;
}

// Returns whether roundings of the sums may accumulate.
static bool collectsRoundings(stablehlo::ScatterOp scatter) {
  unsigned narrowest = 32;
  for (Type type : scatter->getResultTypes()) {
    auto element = dyn_cast<FloatType>(getElementTypeOrSelf(type));
    if (!element || element.getWidth() > 32) {
      return false;
    }
    narrowest = std::min(narrowest, element.getWidth());
  }
  bool areMany = hasSymbolicSizes(scatter.getScatterIndices().getType()) ||
                 updatesOfElement(scatter) > mostUpdatesOf(narrowest);
  return areMany && addsUpdates(scatter);
}

// Returns the widest type in which the elements take at most `bytes` bytes, or null if no such type
// is wider than the elements' own type.
static Type typeOfSums(stablehlo::ScatterOp scatter, int64_t bytes) {
  int64_t elements = 0;
  unsigned width = 0;
  for (Value result : scatter->getResults()) {
    if (hasSymbolicSizes(result.getType())) {
      return {};
    }
    elements = addSaturating(elements, *elementCount(shapeOf(result)));
    width = std::max(width, getElementTypeOrSelf(result).getIntOrFloatBitWidth());
  }
  MLIRContext *context = scatter.getContext();
  for (Type type : {Type(Float64Type::get(context)), Type(Float32Type::get(context))}) {
    unsigned wide = type.getIntOrFloatBitWidth();
    if (wide > width && multiplySaturating(elements, wide / 8) <= bytes) {
      return type;
    }
  }
  return {};
}

// Widens a scatter's operands and its body to `type`, and rounds its results.
static void widen(stablehlo::ScatterOp scatter, Type type) {
  auto widened = [&](Value value) {
    value.setType(cast<RankedTensorType>(value.getType()).clone(type));
  };
  OpBuilder builder(scatter->getContext());
  builder.setInsertionPointAfter(scatter);
  for (Value result : scatter->getResults()) {
    Type narrow = result.getType();
    widened(result);
    auto rounded = stablehlo::ConvertOp::create(builder, scatter.getLoc(), narrow, result);
    result.replaceAllUsesExcept(rounded, rounded);
  }
  Block &body = scatter.getUpdateComputation().front();
  llvm::for_each(body.getArguments(), widened);
  for (Operation &op : body.without_terminator()) {
    widened(op.getResult(0));
  }
}

namespace {
struct WidenScattersPass : impl::WidenScattersPassBase<WidenScattersPass> {
  using impl::WidenScattersPassBase<WidenScattersPass>::WidenScattersPassBase;
  WidenScattersPass(Ledger &ledger, const CpuTarget &target) : ledger(&ledger), target(target) {}

  void runOnOperation() override {
    if (!takeTarget(target, getOperation(), targetName)) {
      return signalPassFailure();
    }
    Ledger own;
    Ledger &into = ledger ? *ledger : own;
    SmallVector<stablehlo::ScatterOp> scatters;
    getOperation().walk([&](stablehlo::ScatterOp scatter) {
      if (collectsRoundings(scatter)) {
        scatters.push_back(scatter);
      }
    });
    for (stablehlo::ScatterOp scatter : scatters) {
      Type type = typeOfSums(scatter, target->l2Bytes / 2);
      Decision decision = type ? Decision::taken() : Decision::declined(Reason::SumsLeaveL2);
      if (into.recordUnlessOff(Rule::WidenScatter, scatter, decision).isTaken()) {
        widen(scatter, type);
      }
    }
  }

  Ledger *ledger = nullptr;
  std::optional<CpuTarget> target;
};
} // namespace

std::unique_ptr<Pass> createWidenScattersPass(Ledger &ledger, const CpuTarget &target) {
  return std::make_unique<WidenScattersPass>(ledger, target);
}

} // namespace drumlin
