#include "drumlin/codegen/cpu/gemm/GemmTerms.h"

#include "drumlin/ir/plan/OperationClasses.h"
#include "drumlin/ir/plan/Work.h"
#include "drumlin/ir/stablehlo/StablehloOps.h"
#include "drumlin/ir/stablehlo/StablehloTypes.h"
#include "mlir/Analysis/FlatLinearValueConstraints.h"

using namespace llvm;

namespace drumlin::codegen {

static ElementType typeOf(mlir::Value value) {
  return elementTypeOf(mlir::getElementTypeOrSelf(value.getType()));
}

GemmTerms::GemmTerms(KernelFrame &frame, const GemmSchedule &schedule)
    : GemmProblem(scheduledProblem(contractionOf(frame.kernel.getBody().front()), schedule)),
      unit(schedule.unit), frame(frame), fromLhs(operandMap(GemmOperand::Lhs)),
      fromRhs(operandMap(GemmOperand::Rhs)), fromResult(resultMap()) {}

// Operands whose products are of another kind than the result are converted to the result's type
// first.
static bool sameProductKind(ElementType operand, ElementType result) {
  return info(operand).kind == info(result).kind || (isInteger(operand) && isInteger(result));
}

Type *GemmTerms::sumLlvmType() const { return frame.emitter.computeType(sumType); }
PackedElement GemmTerms::packedElement() const { return {unit, sumType, false}; }
Type *GemmTerms::unitType() const { return elementType(frame.emitter, packedElement()); }

Lanes GemmTerms::rounded(Value *sums) {
  auto isScale = [](mlir::Value value) {
    return info(typeOf(value)).specials == FloatSpecials::ScaleOnly;
  };
  if (isScale(lhs) && isScale(rhs) && isScale(result) && k > 0) {
    return {frame.emitter.roundProductTo(sums, typeOf(result))};
  }
  return frame.emitter.convert({sums}, sumType, typeOf(result));
}

//===- operands ---------------------------------------------------------------===//

const IndexTuple *GemmTerms::resultIndex(const LaneIndex &b, const LaneIndex &atM,
                                         const LaneIndex &atN) {
  IndexBuilder &index = frame.emitter.index();
  return index.along(fromResult, index.tuple({batch, m, n}, {b, atM, atN}));
}

Value *GemmTerms::exists(const LaneIndex &atM) {
  if (innermost == 0) {
    return nullptr;
  }
  IndexBuilder &index = frame.emitter.index();
  Value *position = index.asVector(index.remainder(atM, groups[M].back()));
  return frame.builder.CreateICmpULT(
      position, ConstantInt::get(position->getType(), static_cast<uint64_t>(innermost)));
}

Value *GemmTerms::term(GemmOperand operand, const LaneIndex &b, const LaneIndex &free,
                       const LaneIndex &depth) {
  IndexBuilder &index = frame.emitter.index();
  bool isLhs = operand == GemmOperand::Lhs;
  const IndexTuple *at = index.tuple({batch, isLhs ? m : n, k}, {b, free, depth});
  mlir::Value operandValue = value(operand);
  Lanes element =
      isLhs && isConvolution()
          ? convolutionInput(at)
          : frame.emitter.emit(operandValue, index.along(isLhs ? fromLhs : fromRhs, at));
  return asTerm(element, operand);
}

Value *GemmTerms::asTerm(Lanes element, GemmOperand operand) {
  ElementType type = typeOf(value(operand)), out = typeOf(result);
  if (!sameProductKind(type, out)) {
    element = frame.emitter.convert(element, type, out);
    type = out;
  }
  return codegen::asTerm(frame.emitter, packedElement(), element, type, isWithoutSign(operand));
}

std::optional<GemmTerms::Matrix> GemmTerms::matrix(GemmOperand operand) const {
  bool isLhs = operand == GemmOperand::Lhs;
  mlir::Value from = value(operand);
  ElementType type = typeOf(from);
  if ((isLhs && isConvolution()) || isBoolean(type) || info(type).bits % 8 != 0 ||
      !sameProductKind(type, typeOf(result))) {
    return std::nullopt;
  }
  IndexingMap map = isLhs ? fromLhs : fromRhs;
  while (mlir::Operation *op = from.getDefiningOp()) {
    if (classify(op) != OperationClass::Move || op->getNumOperands() != 1) {
      return std::nullopt;
    }
    std::optional<IndexingMap> next = indexing(op->getOpOperand(0));
    if (!next) {
      return std::nullopt;
    }
    map = map.followedBy(*next);
    from = op->getOperand(0);
  }
  const Buffer *buffer = frame.emitter.bufferOf(from);
  SmallVector<int64_t> strides; // and the offset
  if (!buffer || !map.isPure() ||
      failed(mlir::getFlattenedAffineExpr(map.position(), 3, 0, &strides)) || strides.size() != 4) {
    return std::nullopt;
  }
  return Matrix{*buffer, strides[3], strides[0], strides[1], strides[2]};
}

} // namespace drumlin::codegen
