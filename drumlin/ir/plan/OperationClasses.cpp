#include "drumlin/ir/plan/OperationClasses.h"

#include "drumlin/ir/chlo/ChloOps.h"
#include "drumlin/ir/stablehlo/StablehloOps.h"
#include "llvm/ADT/TypeSwitch.h"

using namespace mlir;

namespace drumlin {

OperationClass classify(Operation *op) {
  return llvm::TypeSwitch<Operation *, OperationClass>(op)
      .Case<stablehlo::ConstantOp>([](auto) { return OperationClass::Constant; })
      .Case<stablehlo::ReshapeOp, stablehlo::BroadcastInDimOp, stablehlo::TransposeOp,
            stablehlo::SliceOp, stablehlo::PadOp, stablehlo::ConcatenateOp, stablehlo::ReverseOp,
            stablehlo::IotaOp>([](auto) { return OperationClass::Move; })
      .Case<stablehlo::GatherOp, stablehlo::DynamicSliceOp, stablehlo::DynamicUpdateSliceOp>(
          [](auto) { return OperationClass::Gather; })
      .Case<stablehlo::ReduceOp, stablehlo::ReduceWindowOp>(
          [](auto) { return OperationClass::Reduction; })
      .Case<stablehlo::DotGeneralOp, stablehlo::ConvolutionOp, stablehlo::SortOp,
            stablehlo::ScatterOp, stablehlo::SelectAndScatterOp, chlo::TopKOp>(
          [](auto) { return OperationClass::Hero; })
      .Case<stablehlo::WhileOp, stablehlo::IfOp, stablehlo::CaseOp>(
          [](auto) { return OperationClass::Control; })
      .Case<stablehlo::SelectOp, stablehlo::ClampOp>([](auto) { return OperationClass::Pointwise; })
      .Case<stablehlo::BitcastConvertOp>([](stablehlo::BitcastConvertOp bitcast) {
        // Types of different widths add or take away a dimension.
        return cast<RankedTensorType>(bitcast.getOperand().getType()).getShape() ==
                       cast<RankedTensorType>(bitcast.getResult().getType()).getShape()
                   ? OperationClass::Pointwise
                   : OperationClass::Other;
      })
      .Default([](Operation *other) {
        return other->hasTrait<OpTrait::Elementwise>() ? OperationClass::Pointwise
                                                       : OperationClass::Other;
      });
}

bool isFusible(Operation *op) {
  switch (classify(op)) {
  case OperationClass::Constant:
  case OperationClass::Move:
  case OperationClass::Pointwise:
  case OperationClass::Gather:
  case OperationClass::Reduction:
    return true;
  default:
    return false;
  }
}

bool isFree(Operation *op) {
  if (classify(op) == OperationClass::Constant) {
    return true;
  }
  return isa<stablehlo::ReshapeOp, stablehlo::BroadcastInDimOp, stablehlo::TransposeOp,
             stablehlo::SliceOp, stablehlo::ReverseOp, stablehlo::IotaOp>(op);
}

int64_t operationsPerElement(Operation *op) {
  // Costs of the vector math library's functions, in operations of one register (measured cycles,
  // rounded).
  return llvm::TypeSwitch<Operation *, int64_t>(op)
      .Case<stablehlo::ExpOp, stablehlo::LogisticOp, stablehlo::TanhOp, stablehlo::LogOp>(
          [](auto) { return 16; })
      .Case<stablehlo::SineOp, stablehlo::CosineOp, stablehlo::TanOp, stablehlo::Expm1Op,
            stablehlo::Log1pOp, chlo::ErfOp, chlo::CoshOp>([](auto) { return 24; })
      .Case<stablehlo::PowOp, stablehlo::Atan2Op, stablehlo::CbrtOp, chlo::ErfcOp, chlo::ErfInvOp,
            chlo::AtanOp, chlo::AsinOp, chlo::AcosOp, chlo::SinhOp, chlo::AsinhOp, chlo::AcoshOp,
            chlo::AtanhOp>([](auto) { return 48; })
      .Case<stablehlo::DivOp, stablehlo::RemOp, stablehlo::SqrtOp, stablehlo::RsqrtOp>(
          [](auto) { return 8; })
      .Default([](Operation *other) -> int64_t {
        return classify(other) == OperationClass::Pointwise ? 1 : 0;
      });
}

} // namespace drumlin
