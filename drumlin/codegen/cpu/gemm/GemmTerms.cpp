#include "drumlin/codegen/cpu/gemm/GemmTerms.h"

#include "drumlin/ir/plan/Work.h"
#include "drumlin/ir/stablehlo/StablehloOps.h"
#include "drumlin/ir/stablehlo/StablehloTypes.h"

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
Type *GemmTerms::termLlvmType() const {
  return kGroup() == 1 ? sumLlvmType()
                       : frame.builder.getIntNTy(static_cast<unsigned>(32 / kGroup()));
}
Type *GemmTerms::unitType() const {
  return kGroup() == 1 ? sumLlvmType() : frame.builder.getInt32Ty();
}

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
  ElementEmitter &e = frame.emitter;
  ElementType type = typeOf(value(operand)), out = typeOf(result);
  if (!sameProductKind(type, out)) {
    element = e.convert(element, type, out);
    type = out;
  }
  switch (unit) {
  case ComputeUnit::bf16_pairs:
  case ComputeUnit::bf16_tiles:
    return e.toMemory(element.value, ElementType::BF16);
  case ComputeUnit::int16_pairs:
    return e.convert(element, type, ElementType::SI16).value;
  case ComputeUnit::int8_quads:
  case ComputeUnit::int8_tiles:
    return e.convert(element, type, isWithoutSign(operand) ? ElementType::UI8 : ElementType::SI8)
        .value;
  case ComputeUnit::fma:
    break;
  }
  // Narrow floats are computed with in f32 already.
  return isFloat(type) && sumType == ElementType::F32 ? element.value
                                                      : e.convert(element, type, sumType).value;
}

} // namespace drumlin::codegen
