#include "drumlin/codegen/cpu/gemm/GemmTerms.h"

#include "drumlin/ir/plan/OperationClasses.h"
#include "drumlin/ir/plan/gemm/GemmPanels.h"
#include "drumlin/ir/sizes/SizeSymbols.h"
#include "drumlin/ir/stablehlo/StablehloDialect.h"
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

// Returns whether operand and result are both integers or of the same other kind, such as floats.
// If not, the operand is converted to the result's type before it is multiplied.
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

//===- sizes ------------------------------------------------------------------===//

LaneIndex GemmTerms::partBySizes(GroupName group, size_t position, const LaneIndex &at) {
  IndexBuilder &index = frame.emitter.index();
  SmallVector<Size> sizes = this->sizes(group);
  Size before = 1, behind = 1;
  for (size_t i = 0; i < position; ++i) {
    before = before * sizes[i];
  }
  for (size_t i = position + 1; i < sizes.size(); ++i) {
    behind = behind * sizes[i];
  }
  LaneIndex place = index.divide(at, frame.emitter.extent(behind.expression()));
  return before.is(1) ? place
                      : index.remainder(place, frame.emitter.extent(sizes[position].expression()));
}

const IndexTuple *GemmTerms::indexBySizes(mlir::Value value, ArrayRef<Role> roles,
                                          const std::array<LaneIndex, groupCount> &at) {
  IndexBuilder &index = frame.emitter.index();
  SmallVector<LaneIndex> dims;
  for (const Role &role : roles) {
    if (role.group != Features) {
      dims.push_back(
          partBySizes(static_cast<GroupName>(role.group), role.position, at[role.group]));
      continue;
    }
    Size perGroup = sizes(N).front();
    LaneIndex first = perGroup.constant()
                          ? index.multiply(at[Batch], n)
                          : index.multiply(at[Batch], frame.emitter.extent(perGroup.expression()));
    dims.push_back(index.add(first, at[N]));
  }
  return index.tuple(frame.emitter.extentsOf(value), dims);
}

Extents GemmTerms::extentsOfGroups(ArrayRef<GroupName> groups) const {
  std::vector<SizeExpression> sizes;
  for (GroupName group : groups) {
    sizes.push_back(size(group).expression());
  }
  return frame.emitter.extents(sizes);
}

//===- operands ---------------------------------------------------------------===//

const IndexTuple *GemmTerms::resultIndex(const LaneIndex &b, const LaneIndex &atM,
                                         const LaneIndex &atN) {
  IndexBuilder &index = frame.emitter.index();
  if (isNumberedBySizes(resultRoles)) {
    return indexBySizes(result, resultRoles, {b, atM, atN});
  }
  return index.along(fromResult, index.tuple(extentsOfGroups({Batch, M, N}), {b, atM, atN}),
                     frame.emitter.extentsOf(result));
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
  mlir::Value operandValue = value(operand);
  if (isLhs && isConvolution() && !fromLhs.holdsAtAllSizes()) {
    return asTerm(convolutionInputBySizes(b, free, depth), operand);
  }
  if (const SmallVector<Role> &roles = isLhs ? lhsRoles : rhsRoles; isNumberedBySizes(roles)) {
    std::array<LaneIndex, groupCount> groups;
    groups[Batch] = b;
    groups[isLhs ? M : N] = free;
    groups[K] = depth;
    return asTerm(frame.emitter.emit(operandValue, indexBySizes(operandValue, roles, groups)),
                  operand);
  }
  const IndexTuple *at = index.tuple(extentsOfGroups({Batch, isLhs ? M : N, K}), {b, free, depth});
  Lanes element =
      isLhs && isConvolution()
          ? convolutionInput(at)
          : frame.emitter.emit(operandValue, index.along(isLhs ? fromLhs : fromRhs, at,
                                                         frame.emitter.extentsOf(operandValue)));
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

// Returns the strides in `value` of the three dimensions that `map` maps to an index of `value`;
// the fourth number is the offset. Returns nullopt if the position in the value isn't a linear
// function of the dimensions.
static std::optional<std::array<SizeExpression, 4>> stridesOf(const IndexingMap &map,
                                                              mlir::Value value) {
  std::vector<SizeExpression> sizes =
      symbolicSizesOf(cast<mlir::RankedTensorType>(value.getType()));
  ArrayRef<mlir::AffineExpr> index = map.map().getResults();
  ArrayRef<int64_t> shape = map.operandSizes();
  if (!map.isPure() || !map.holdsAtAllSizes()) {
    return std::nullopt;
  }
  std::array<SizeExpression, 4> strides;
  SizeExpression stride(1);
  // Handles groups of dimensions whose strides have constant ratios. A dimension with a symbolic
  // size is the outermost one of its group.
  for (size_t end = shape.size(); end > 0;) {
    size_t begin = end - 1;
    SizeExpression elements = sizes[begin];
    while (begin > 0 && elements.constant()) {
      elements = elements * sizes[--begin];
    }
    SmallVector<int64_t> sum;
    mlir::AffineExpr position =
        map.position(index.slice(begin, end - begin), shape.slice(begin, end - begin));
    if (failed(mlir::getFlattenedAffineExpr(position, 3, 0, &sum)) || sum.size() != 4) {
      return std::nullopt;
    }
    for (size_t i = 0; i < strides.size(); ++i) {
      strides[i] = strides[i] + stride * sum[i];
    }
    stride = stride * elements;
    end = begin;
  }
  return strides;
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
  OperandView view = viewOf(*this, operand);
  const Buffer *buffer = frame.emitter.bufferOf(view.memory);
  if (!buffer) {
    return std::nullopt;
  }
  if (!view.map.symbols().empty()) {
    std::optional<SmallVector<int64_t>> strides = stridesInMemory(*this, operand);
    return strides ? std::optional(Matrix{*buffer, 0, (*strides)[0], (*strides)[1], (*strides)[2],
                                          view.map, view.memory})
                   : std::nullopt;
  }
  std::optional<std::array<SizeExpression, 4>> strides = stridesOf(view.map, view.memory);
  if (!strides) {
    return std::nullopt;
  }
  auto [ofBatch, ofFree, ofDepth, offset] = *strides;
  return Matrix{*buffer, offset, ofBatch, ofFree, ofDepth, std::nullopt, view.memory};
}

Value *GemmTerms::positionIn(const Matrix &matrix, const LaneIndex &b, const LaneIndex &free,
                             const LaneIndex &depth) {
  IndexBuilder &index = frame.emitter.index();
  if (matrix.moved) {
    // All sizes of the matrix are known (stridesInMemory()).
    const IndexTuple *at = index.tuple(knownExtents(matrix.moved->sizes()), {b, free, depth});
    return index.asValue(index.linear(frame.emitter.readAt(*matrix.moved, at, matrix.memory).from));
  }
  llvm::IRBuilder<> &ir = frame.builder;
  Value *position = frame.emitter.extent(matrix.offset);
  for (auto [at, stride] :
       {std::pair(&b, &matrix.batch), {&free, &matrix.free}, {&depth, &matrix.depth}}) {
    Value *part = ir.CreateMul(at->base, frame.emitter.extent(*stride), "", true, true);
    position = ir.CreateAdd(position, part, "", true, true);
  }
  return position;
}

std::optional<GemmTerms::ResultMatrix> GemmTerms::resultMatrix(mlir::Value value,
                                                               const IndexingMap &fromHero,
                                                               const Buffer &buffer) const {
  ElementType type = typeOf(value);
  mlir::Value from = value;
  while (from != result && dataMovementIndexing(from.getDefiningOp())) {
    from = from.getDefiningOp()->getOperand(0);
  }
  std::optional<std::array<SizeExpression, 4>> strides =
      stridesOf(fromResult.followedBy(fromHero), value);
  if (from != result || !strides || !isInWholeBytes(type) ||
      info(type).specials == FloatSpecials::ScaleOnly) {
    return std::nullopt;
  }
  auto [ofBatch, ofM, ofN, offset] = *strides;
  return ResultMatrix{buffer, offset, ofBatch, ofM, ofN};
}

} // namespace drumlin::codegen
