// Scales of dots' operands become scales of their results, where these have fewer elements and the
// relaxation `reassociate` is allowed: weights that are dequantized channel by channel are then
// multiplied as they are stored.
#include "drumlin/transforms/rewrite/Passes.h"

#include "drumlin/ir/stablehlo/StablehloOps.h"
#include "drumlin/ir/stablehlo/StablehloTypes.h"

using namespace mlir;

namespace drumlin {

#define GEN_PASS_DEF_FACTORSCALESPASS
#include "drumlin/transforms/rewrite/Passes.h.inc"

namespace {
// A dot's operand, `values` multiplied with `scale`.
struct ScaledOperand {
  unsigned number;
  stablehlo::MulOp product;
  Value values, scale;
};
} // namespace

static ArrayRef<int64_t> contractedOf(stablehlo::DotGeneralOp dot, unsigned operand) {
  auto numbers = dot.getDotDimensionNumbers();
  return operand == 0 ? numbers.getLhsContractingDimensions()
                      : numbers.getRhsContractingDimensions();
}

static ArrayRef<int64_t> batchedOf(stablehlo::DotGeneralOp dot, unsigned operand) {
  auto numbers = dot.getDotDimensionNumbers();
  return operand == 0 ? numbers.getLhsBatchingDimensions() : numbers.getRhsBatchingDimensions();
}

// Whether the value is the same along all of these dimensions.
static bool isSameAlong(Value value, ArrayRef<int64_t> dimensions) {
  if (auto constant = value.getDefiningOp<stablehlo::ConstantOp>()) {
    return constant.getValue().isSplat();
  }
  auto broadcast = value.getDefiningOp<stablehlo::BroadcastInDimOp>();
  if (!broadcast) {
    return false;
  }
  auto from = cast<RankedTensorType>(broadcast.getOperand().getType());
  for (auto [place, dimension] : llvm::enumerate(broadcast.getBroadcastDimensions())) {
    if (llvm::is_contained(dimensions, dimension) && from.getDimSize(place) != 1) {
      return false;
    }
  }
  return true;
}

// The scale is the right factor where both could be it.
static std::optional<ScaledOperand> scaledOperand(stablehlo::DotGeneralOp dot, unsigned operand) {
  auto product = dot->getOperand(operand).getDefiningOp<stablehlo::MulOp>();
  // Sizes that the run tells are in a type's encoding; their operands keep their scales.
  bool isSized = cast<RankedTensorType>(dot.getLhs().getType()).getEncoding() ||
                 cast<RankedTensorType>(dot.getRhs().getType()).getEncoding();
  if (!product || isSized || !isa<FloatType>(getElementTypeOrSelf(product.getType()))) {
    return std::nullopt;
  }
  for (unsigned factor : {1u, 0u}) {
    if (isSameAlong(product->getOperand(factor), contractedOf(dot, operand))) {
      return ScaledOperand{operand, product, product->getOperand(1 - factor),
                           product->getOperand(factor)};
    }
  }
  return std::nullopt;
}

// Numbers that aren't scaled yet need f32's exponents, which bf16 has too.
static bool isWide(Value value) {
  ElementType type = elementTypeOf(getElementTypeOrSelf(value.getType()));
  return isFloat(type) && info(type).exponentBits >= info(ElementType::F32).exponentBits &&
         info(type).bits >= 16;
}

// dot(a * s, b) = s * dot(a, b) where s is the same along the contracted dimensions
static Decision decide(stablehlo::DotGeneralOp dot, ScaledOperand scaled) {
  if (dot.getAlgorithm()) {
    return Decision::declined(Reason::AlgorithmAsked, dot, "remove the dot's `algorithm`");
  }
  // What needs the scaled operand multiplies anyway.
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

// The dimension of the result that a dimension of an operand becomes; none for contracted ones.
static std::optional<int64_t> resultDimension(stablehlo::DotGeneralOp dot, unsigned operand,
                                              int64_t dimension) {
  ArrayRef<int64_t> batched = batchedOf(dot, operand), contracted = contractedOf(dot, operand);
  if (llvm::is_contained(contracted, dimension)) {
    return std::nullopt;
  }
  if (const auto *found = llvm::find(batched, dimension); found != batched.end()) {
    return found - batched.begin();
  }
  auto place = static_cast<int64_t>(batched.size());
  if (operand == 1) {
    place += cast<RankedTensorType>(dot.getLhs().getType()).getRank() -
             static_cast<int64_t>(batched.size() + contracted.size());
  }
  for (int64_t before = 0; before < dimension; ++before) {
    bool isFree = !llvm::is_contained(batched, before) && !llvm::is_contained(contracted, before);
    place += isFree ? 1 : 0;
  }
  return place;
}

// The scale as the dot's result takes it: in its shape and type.
static Value scaleOfResult(OpBuilder &builder, stablehlo::DotGeneralOp dot, ScaledOperand scaled) {
  auto result = cast<RankedTensorType>(dot.getResult().getType());
  Location loc = scaled.scale.getLoc();
  Value scale;
  SmallVector<int64_t> dimensions, shape;
  if (auto constant = scaled.scale.getDefiningOp<stablehlo::ConstantOp>()) {
    auto splat = cast<SplatElementsAttr>(constant.getValue());
    auto type = RankedTensorType::get({}, splat.getElementType());
    scale = stablehlo::ConstantOp::create(builder, loc, splat.resizeSplat(type));
  } else {
    auto broadcast = scaled.scale.getDefiningOp<stablehlo::BroadcastInDimOp>();
    scale = broadcast.getOperand();
    auto from = cast<RankedTensorType>(scale.getType());
    for (auto [place, dimension] : llvm::enumerate(broadcast.getBroadcastDimensions())) {
      if (std::optional<int64_t> made = resultDimension(dot, scaled.number, dimension)) {
        dimensions.push_back(*made);
        shape.push_back(from.getDimSize(place));
      }
    }
    if (shape.size() != static_cast<size_t>(from.getRank())) {
      scale = stablehlo::ReshapeOp::create(builder, loc, from.clone(shape), scale);
    }
  }
  auto type = cast<RankedTensorType>(scale.getType());
  if (type.getElementType() != result.getElementType()) {
    scale = stablehlo::ConvertOp::create(builder, loc, type.clone(result.getElementType()), scale);
  }
  return stablehlo::BroadcastInDimOp::create(builder, loc, result, scale,
                                             builder.getDenseI64ArrayAttr(dimensions));
}

static void apply(stablehlo::DotGeneralOp dot, ScaledOperand scaled) {
  OpBuilder builder(dot);
  dot->setOperand(scaled.number, scaled.values);
  builder.setInsertionPointAfter(dot);
  Value scale = scaleOfResult(builder, dot, scaled);
  auto made = stablehlo::MulOp::create(builder, scaled.product.getLoc(), dot.getResult(), scale);
  dot.getResult().replaceAllUsesExcept(made.getResult(), made);
  Operation *whole = scaled.scale.getDefiningOp();
  scaled.product->erase();
  if (whole->use_empty()) {
    whole->erase();
  }
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
        // A factor of what was scaled may be a scale again.
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
  // One entry for each scale, about the multiplication with it.
  bool visit(stablehlo::DotGeneralOp dot, ScaledOperand scaled, Ledger &into) {
    Decision decision =
        into.recordUnlessOff(Rule::FactorScales, scaled.product, decide(dot, scaled));
    if (!decision.isTaken()) {
      return false;
    }
    // What makes a scale of the shape of the operand makes one of the result's.
    into.record(Rule::FactorScales, scaled.scale.getDefiningOp(), decision);
    apply(dot, scaled);
    return true;
  }

  Ledger *ledger = nullptr;
};

std::unique_ptr<Pass> createFactorScalesPass(Ledger &ledger) {
  return std::make_unique<FactorScalesPass>(ledger);
}

} // namespace drumlin
