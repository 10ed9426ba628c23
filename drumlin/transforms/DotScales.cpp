#include "drumlin/transforms/DotScales.h"

#include "drumlin/ir/stablehlo/StablehloTypes.h"

using namespace mlir;

namespace drumlin {

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

std::optional<ScaledOperand> scaledOperand(stablehlo::DotGeneralOp dot, unsigned operand) {
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

void factorScale(stablehlo::DotGeneralOp dot, ScaledOperand scaled) {
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

} // namespace drumlin
