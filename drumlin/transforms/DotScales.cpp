#include "drumlin/transforms/DotScales.h"

#include "drumlin/ir/stablehlo/BroadcastInDimOp.h"
#include "drumlin/ir/stablehlo/ConstantOp.h"
#include "drumlin/ir/stablehlo/ConvertOp.h"
#include "drumlin/ir/stablehlo/DotGeneralOp.h"
#include "drumlin/ir/stablehlo/MulOp.h"
#include "drumlin/ir/stablehlo/ProductRoles.h"
#include "drumlin/ir/stablehlo/ReshapeOp.h"
#include "drumlin/ir/stablehlo/StablehloTypes.h"

using namespace mlir;

namespace drumlin {

// Returns whether the value is constant along all of `dimensions`.
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
  // Dynamic sizes are in the encoding of a type. Operands of dots with dynamic sizes keep their
  // scales.
  bool isSized = cast<RankedTensorType>(dot.getLhs().getType()).getEncoding() ||
                 cast<RankedTensorType>(dot.getRhs().getType()).getEncoding();
  if (!product || isSized || !isa<FloatType>(getElementTypeOrSelf(product.getType()))) {
    return std::nullopt;
  }
  stablehlo::ProductRoles roles(dot);
  for (unsigned factor : {1u, 0u}) {
    if (isSameAlong(product->getOperand(factor), roles.operands[operand].contracting)) {
      return ScaledOperand{operand, product, product->getOperand(1 - factor),
                           product->getOperand(factor)};
    }
  }
  return std::nullopt;
}

// Converts the scale to the dot result's shape and type.
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
    stablehlo::ProductRoles roles(dot);
    for (auto [place, dimension] : llvm::enumerate(broadcast.getBroadcastDimensions())) {
      if (std::optional<size_t> made = roles.inResult(scaled.number, dimension)) {
        dimensions.push_back(static_cast<int64_t>(*made));
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
