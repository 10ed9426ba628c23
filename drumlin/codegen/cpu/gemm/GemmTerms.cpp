#include "drumlin/codegen/cpu/gemm/GemmTerms.h"

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

// Strides of a map's three dimensions, and the offset; nothing where a position isn't their sum.
static std::optional<std::array<int64_t, 4>> stridesOf(const IndexingMap &map) {
  SmallVector<int64_t> sum;
  if (!map.isPure() || failed(mlir::getFlattenedAffineExpr(map.position(), 3, 0, &sum)) ||
      sum.size() != 4) {
    return std::nullopt;
  }
  return std::array<int64_t, 4>{sum[0], sum[1], sum[2], sum[3]};
}

static bool isInWholeBytes(ElementType type) {
  return !isBoolean(type) && info(type).bits % 8 == 0;
}

std::optional<GemmTerms::Matrix> GemmTerms::matrix(GemmOperand operand) const {
  bool isLhs = operand == GemmOperand::Lhs;
  ElementType type = typeOf(value(operand));
  if ((isLhs && isConvolution()) || !isInWholeBytes(type) ||
      !sameProductKind(type, typeOf(result))) {
    return std::nullopt;
  }
  IndexingMap map = isLhs ? fromLhs : fromRhs;
  mlir::Value from = value(operand);
  while (std::optional<IndexingMap> move = dataMovementIndexing(from.getDefiningOp())) {
    map = map.followedBy(*move);
    from = from.getDefiningOp()->getOperand(0);
  }
  const Buffer *buffer = frame.emitter.bufferOf(from);
  std::optional<std::array<int64_t, 4>> strides = stridesOf(map);
  if (!buffer || !strides) {
    return std::nullopt;
  }
  auto [ofBatch, ofFree, ofDepth, offset] = *strides;
  return Matrix{*buffer, offset, ofBatch, ofFree, ofDepth};
}

std::optional<GemmTerms::ResultMatrix> GemmTerms::resultMatrix(mlir::Value value,
                                                               const IndexingMap &fromHero,
                                                               const Buffer &buffer) const {
  ElementType type = typeOf(value);
  mlir::Value from = value;
  while (from != result && dataMovementIndexing(from.getDefiningOp())) {
    from = from.getDefiningOp()->getOperand(0);
  }
  std::optional<std::array<int64_t, 4>> strides = stridesOf(fromResult.followedBy(fromHero));
  if (from != result || !strides || !isInWholeBytes(type) ||
      info(type).specials == FloatSpecials::ScaleOnly) {
    return std::nullopt;
  }
  auto [ofBatch, ofM, ofN, offset] = *strides;
  return ResultMatrix{buffer, offset, ofBatch, ofM, ofN};
}

} // namespace drumlin::codegen
