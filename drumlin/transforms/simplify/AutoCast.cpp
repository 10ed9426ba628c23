#include "drumlin/transforms/simplify/AutoCast.h"

#include "drumlin/ir/stablehlo/CaseOp.h"
#include "drumlin/ir/stablehlo/ClampOp.h"
#include "drumlin/ir/stablehlo/ConstantOp.h"
#include "drumlin/ir/stablehlo/ConvertOp.h"
#include "drumlin/ir/stablehlo/ConvolutionOp.h"
#include "drumlin/ir/stablehlo/DotGeneralOp.h"
#include "drumlin/ir/stablehlo/IfOp.h"
#include "drumlin/ir/stablehlo/ReducePrecisionOp.h"
#include "drumlin/ir/stablehlo/WhileOp.h"
#include "drumlin/support/FloatFormats.h"
#include "drumlin/transforms/Reasons.h"
#include "drumlin/transforms/Rules.h"
#include "drumlin/transforms/simplify/Passes.h"

#include "mlir/IR/OpDefinition.h"

using namespace mlir;

namespace drumlin {

#define GEN_PASS_DEF_AUTOCASTPASS
#include "drumlin/transforms/simplify/Passes.h.inc"

static constexpr std::pair<AutoCast::Mode, std::string_view> modes[] = {
    {AutoCast::Mode::None, "none"},
    {AutoCast::Mode::MatMult, "matmult"},
    {AutoCast::Mode::All, "all"},
};
static constexpr std::pair<AutoCast::Type, std::string_view> types[] = {
    {AutoCast::Type::BF16, "bf16"},
    {AutoCast::Type::FP16, "fp16"},
    {AutoCast::Type::TF32, "tf32"},
    {AutoCast::Type::Fp8E4M3, "fp8_e4m3"},
};

template <typename Table> static auto byName(const Table &table, std::string_view name) {
  auto found = llvm::find_if(table, [&](const auto &row) { return row.second == name; });
  return found == std::end(table) ? std::nullopt : std::optional(found->first);
}

std::optional<AutoCast::Mode> autoCastMode(std::string_view name) { return byName(modes, name); }
std::optional<AutoCast::Type> autoCastType(std::string_view name) { return byName(types, name); }

std::string_view nameOf(AutoCast::Type type) {
  return llvm::find_if(types, [&](const auto &row) { return row.first == type; })->second;
}

std::optional<ElementType> elementTypeOf(AutoCast::Type type) {
  switch (type) {
  case AutoCast::Type::BF16:
    return ElementType::BF16;
  case AutoCast::Type::FP16:
    return ElementType::F16;
  case AutoCast::Type::TF32:
    return std::nullopt;
  case AutoCast::Type::Fp8E4M3:
    return ElementType::F8E4M3FN;
  }
  return std::nullopt;
}

double largestOf(AutoCast::Type type) {
  std::optional<ElementType> element = elementTypeOf(type);
  // The largest tf32 number has f32's largest exponent, and all ten bits of the fraction are set.
  return element ? largestFinite(*element) : 0x1.ffcp127;
}

//===-- marks ---------------------------------------------------------------------------------===//

static constexpr llvm::StringLiteral markedOperation = "rounding.operation",
                                     markedOperand = "rounding.operand";

static void mark(Operation *rounding, Operation *of, int64_t operand) {
  Builder builder(rounding->getContext());
  rounding->setDiscardableAttr(markedOperation,
                               builder.getStringAttr(of->getName().getStringRef()));
  rounding->setDiscardableAttr(markedOperand, builder.getI64IntegerAttr(operand));
}

std::optional<RoundingMark> roundingMark(Operation *op) {
  auto operation = dyn_cast_or_null<StringAttr>(op->getDiscardableAttr(markedOperation));
  auto operand = dyn_cast_or_null<IntegerAttr>(op->getDiscardableAttr(markedOperand));
  if (!operation || !operand) {
    return std::nullopt;
  }
  return RoundingMark{operation.str(), operand.getInt()};
}

//===-- rounding ------------------------------------------------------------------------------===//

static bool isF32(Value value) {
  auto type = dyn_cast<RankedTensorType>(value.getType());
  return type && type.getElementType().isF32();
}

static Value convert(OpBuilder &builder, Location loc, Value value, Type element) {
  return stablehlo::ConvertOp::create(builder, loc, value, element);
}

// tf32 has the exponent of f32 and 10 of its fraction bits.
static Value roundToTf32(OpBuilder &builder, Location loc, Value value) {
  auto before = value.getDefiningOp<stablehlo::ReducePrecisionOp>();
  if (before && before.getExponentBits() == 8 && before.getMantissaBits() <= 10) {
    return value;
  }
  return stablehlo::ReducePrecisionOp::create(builder, loc, value.getType(), value,
                                              builder.getI32IntegerAttr(8),
                                              builder.getI32IntegerAttr(10));
}

// convert(clamp(-448, x, 448)): values beyond the range of f8E4M3FN become its largest number, or
// the negative of it.
static Value saturate(OpBuilder &builder, Location loc, Value value) {
  auto scalar = RankedTensorType::get({}, builder.getF32Type());
  auto limit = [&](float number) -> Value {
    return stablehlo::ConstantOp::create(
        builder, loc, DenseElementsAttr::get(scalar, builder.getF32FloatAttr(number)));
  };
  constexpr float largest = 448; // OCP 8-bit Floating Point Specification (OFP8) rev 1.0, E4M3
  Value clamped = stablehlo::ClampOp::create(builder, loc, value.getType(), limit(-largest), value,
                                             limit(largest));
  return convert(builder, loc, clamped, builder.getType<Float8E4M3FNType>());
}

static Value rounded(OpBuilder &builder, Location loc, Value value, AutoCast::Type type) {
  switch (type) {
  case AutoCast::Type::BF16:
    return convert(builder, loc, value, builder.getBF16Type());
  case AutoCast::Type::FP16:
    return convert(builder, loc, value, builder.getF16Type());
  case AutoCast::Type::TF32:
    return roundToTf32(builder, loc, value);
  case AutoCast::Type::Fp8E4M3:
    return saturate(builder, loc, value);
  }
  return value;
}

//===-- the operations ------------------------------------------------------------------------===//

static bool isProduct(Operation *op) {
  return isa<stablehlo::DotGeneralOp, stablehlo::ConvolutionOp>(op);
}

// Returns whether the operation computes numbers, instead of choosing, comparing or converting
// them.
static bool isElementwise(Operation *op) {
  return op->hasTrait<OpTrait::Elementwise>() && op->getNumResults() == 1 &&
         isF32(op->getResult(0)) && op->getNumOperands() > 0 &&
         llvm::all_of(op->getOperands(), isF32) && !isa<stablehlo::ReducePrecisionOp>(op);
}

static Decision decide(Operation *op, AutoCast::Type type) {
  auto dot = dyn_cast<stablehlo::DotGeneralOp>(op);
  if (!llvm::all_of(op->getOperands(), isF32) || !isF32(op->getResult(0))) {
    return Decision::declined(Reason::NotF32);
  }
  if (dot && dot.getAlgorithm()) {
    return Decision::declined(Reason::AlgorithmAsked);
  }
  if (!isProduct(op) && type == AutoCast::Type::Fp8E4M3) {
    return Decision::declined(Reason::ProductsAlone);
  }
  Decision decision = Decision::taken();
  decision.remedy = "rounded to " + std::string(nameOf(type));
  return decision;
}

// Rounds the operands. Dots and convolutions still accumulate in f32; other operations compute in
// the narrower type.
static void roundOperands(Operation *op, AutoCast::Type type, bool marksRoundings) {
  OpBuilder builder(op);
  for (OpOperand &operand : op->getOpOperands()) {
    Value before = operand.get(), narrow = rounded(builder, op->getLoc(), before, type);
    operand.set(narrow);
    if (marksRoundings && narrow != before) {
      Operation *rounding = narrow.getDefiningOp();
      bool isSaturated = type == AutoCast::Type::Fp8E4M3;
      mark(isSaturated ? rounding->getOperand(0).getDefiningOp() : rounding, op,
           operand.getOperandNumber());
    }
  }
  if (isProduct(op)) {
    return;
  }
  Value result = op->getResult(0);
  builder.setInsertionPointAfter(op);
  bool isTf32 = type == AutoCast::Type::TF32;
  if (!isTf32) {
    auto shape = cast<RankedTensorType>(result.getType());
    result.setType(shape.clone(getElementTypeOrSelf(op->getOperand(0))));
  }
  Value back = isTf32 ? roundToTf32(builder, op->getLoc(), result)
                      : convert(builder, op->getLoc(), result, builder.getF32Type());
  result.replaceAllUsesExcept(back, back.getDefiningOp());
  if (marksRoundings) {
    mark(isTf32 ? back.getDefiningOp() : op, op, -1);
  }
}

struct AutoCastPass : impl::AutoCastPassBase<AutoCastPass> {
  using impl::AutoCastPassBase<AutoCastPass>::AutoCastPassBase;
  AutoCastPass(Ledger &ledger, AutoCast cast, bool marks) : ledger(&ledger), chosen(cast) {
    marksRoundings = marks;
  }

  void runOnOperation() override {
    if (!chosen) {
      auto mode = autoCastMode(modeName);
      auto type = autoCastType(typeName);
      if (!mode || !type) {
        getOperation().emitError("unknown mode or type");
        return signalPassFailure();
      }
      chosen = AutoCast{*mode, *type};
    }
    Ledger own;
    Ledger &into = ledger ? *ledger : own;
    SmallVector<Operation *> operations;
    getOperation().walk([&](Operation *op) {
      // Scalar operations inside reductions, sorts and similar operations are not changed.
      bool isInScalarRegion =
          op->getParentOp() != getOperation() &&
          !isa<stablehlo::WhileOp, stablehlo::IfOp, stablehlo::CaseOp>(op->getParentOp());
      if (!isInScalarRegion &&
          (isProduct(op) || (chosen->mode == AutoCast::Mode::All && isElementwise(op)))) {
        operations.push_back(op);
      }
    });
    bool changesAny = false;
    for (Operation *op : operations) {
      if (into.recordUnlessOff(Rule::AutoCast, op, decide(op, chosen->type)).isTaken()) {
        roundOperands(op, chosen->type, marksRoundings);
        changesAny = true;
      }
    }
    if (operations.empty()) {
      into.record(Rule::AutoCast, getOperation().front().getTerminator(),
                  Decision::declined(Reason::NothingToCast));
    }
    if (!changesAny) {
      markAllAnalysesPreserved();
    }
  }

private:
  Ledger *ledger = nullptr;
  std::optional<AutoCast> chosen;
};

std::unique_ptr<Pass> createAutoCastPass(Ledger &ledger, AutoCast cast, bool marksRoundings) {
  return std::make_unique<AutoCastPass>(ledger, cast, marksRoundings);
}

} // namespace drumlin
