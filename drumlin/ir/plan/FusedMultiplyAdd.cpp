#include "drumlin/ir/plan/FusedMultiplyAdd.h"

#include "drumlin/ir/stablehlo/AddOp.h"
#include "drumlin/ir/stablehlo/MulOp.h"
#include "drumlin/ir/stablehlo/StablehloTypes.h"
#include "drumlin/ir/stablehlo/SubtractOp.h"

using namespace mlir;

namespace drumlin::plan {

// Minimum width of fused types. Narrower types round so coarsely that their multiplications are
// never fused.
static constexpr unsigned leastBits = 16;

std::optional<FusedMultiplyAdd> fusedMultiplyAdd(Operation *op, unsigned operand) {
  if (!llvm::isa<stablehlo::AddOp, stablehlo::SubtractOp>(op) || operand > 1) {
    return std::nullopt;
  }
  auto type = llvm::dyn_cast<FloatType>(getElementTypeOrSelf(op->getResult(0).getType()));
  auto product = op->getOperand(operand).getDefiningOp<stablehlo::MulOp>();
  if (!type || type.getWidth() < leastBits || !product || product->getBlock() != op->getBlock()) {
    return std::nullopt;
  }
  bool subtracts = llvm::isa<stablehlo::SubtractOp>(op);
  return FusedMultiplyAdd{product, op->getOperand(1 - operand), subtracts && operand == 1,
                          subtracts && operand == 0};
}

std::optional<FusedMultiplyAdd> fusedMultiplyAdd(Operation *op) {
  auto number = op->getAttrOfType<IntegerAttr>(fmaAttribute);
  bool isNumber = number && number.getType().isSignlessInteger(64) && number.getInt() >= 0;
  return isNumber ? fusedMultiplyAdd(op, static_cast<unsigned>(number.getInt())) : std::nullopt;
}

} // namespace drumlin::plan
