// Movements of elements whose indices depend on sizes that only the run tells: no indexing map says
// them, because a map's numbers are of the nominal sizes.
#include "drumlin/codegen/cpu/element/ElementEmitter.h"

#include "drumlin/ir/sizes/SizeSymbols.h"
#include "drumlin/ir/stablehlo/StablehloOps.h"
#include "drumlin/ir/stablehlo/StablehloTypes.h"
#include "llvm/ADT/TypeSwitch.h"

using namespace llvm;

namespace drumlin::codegen {

using Sizes = std::vector<SizeExpression>;

static Sizes sizesOf(mlir::Value value) {
  return symbolicSizesOf(cast<mlir::RankedTensorType>(value.getType()));
}

// An attribute that may hold sizes.
static Sizes sizesOf(mlir::Operation *op, StringRef name, ArrayRef<int64_t> nominal) {
  auto sized = op->getAttrOfType<mlir::DictionaryAttr>(sizedAttributes);
  auto found = sized ? dyn_cast_or_null<sizes::SizesAttr>(sized.get(name)) : sizes::SizesAttr();
  return found ? found.getSizes() : Sizes(nominal.begin(), nominal.end());
}

static bool isSized(ArrayRef<SizeExpression> sizes) {
  return any_of(sizes, [](const SizeExpression &size) { return !size.constant(); });
}

namespace {
// The operand's index, dimension by dimension, and which lanes have an element there.
class SizedRead {
public:
  SizedRead(ElementEmitter &e, mlir::Value operand, const IndexTuple *at)
      : e(e), index(e.index()), operand(operand), sizes(sizesOf(operand)), dims(index.dims(at)) {}

  // dims[d] * stride + offset
  void move(size_t d, const SizeExpression &offset, int64_t stride = 1) {
    move(d, e.extent(offset), stride);
  }
  void move(size_t d, Value *offset, int64_t stride = 1) {
    dims[d] = index.add(index.multiply(dims[d], stride), index.scalar(offset));
  }
  // Nothing is read where the index is none of the operand's.
  void mayLeave(size_t d) {
    IRBuilder<> &b = e.ir();
    Value *extent = e.extent(sizes[d]), *position = index.asValue(dims[d]);
    bool isVector = position->getType()->isVectorTy();
    Value *isInside =
        b.CreateICmpULT(position, isVector ? b.CreateVectorSplat(index.width(), extent) : extent);
    inside = inside ? index.both(inside, isInside) : isInside;
    dims[d].mayLeave = isVector;
  }
  Lanes emit(std::optional<Lanes> otherwise = std::nullopt) {
    auto type = cast<mlir::RankedTensorType>(operand.getType());
    const IndexTuple *from = index.tuple(Shape(type.getShape()), dims);
    if (!inside || inside->getType()->isVectorTy()) {
      return e.emitRead(operand, {from, inside}, otherwise);
    }
    // Loads of one element for all lanes take no mask, and the operand may have none: a loop of at
    // most one step stands for a condition.
    IRBuilder<> &b = e.ir();
    Type *element = e.computeType(elementTypeOf(type.getElementType()));
    Value *start = e.splat(otherwise ? otherwise->value : Constant::getNullValue(element));
    auto step = [&](Value *, ArrayRef<Value *>) {
      return SmallVector<Value *>{e.splat(e.emit(operand, from).value)};
    };
    return {e.emitLoop(b.getInt64(0), b.CreateZExt(inside, b.getInt64Ty()), 1, {start}, step)[0]};
  }

private:
  ElementEmitter &e;
  IndexBuilder &index;
  mlir::Value operand;
  Sizes sizes;
  SmallVector<LaneIndex> dims;
  Value *inside = nullptr;
};
} // namespace

static std::optional<Lanes> emitConcatenate(ElementEmitter &e, stablehlo::ConcatenateOp op,
                                            const IndexTuple *at) {
  auto d = static_cast<size_t>(op.getDimension());
  Sizes along;
  for (mlir::Value operand : op.getInputs()) {
    along.push_back(sizesOf(operand)[d]);
  }
  if (!isSized(along)) {
    return std::nullopt;
  }
  SizeExpression begin;
  std::optional<Lanes> result;
  for (auto [operand, size] : zip(op.getInputs(), along)) {
    SizedRead read(e, operand, at);
    read.move(d, SizeExpression(0) - begin);
    read.mayLeave(d);
    result = read.emit(result);
    begin = begin + size;
  }
  return result;
}

static std::optional<Lanes> emitPad(ElementEmitter &e, stablehlo::PadOp op, const IndexTuple *at) {
  Sizes low = sizesOf(op, "edge_padding_low", op.getEdgePaddingLow());
  Sizes high = sizesOf(op, "edge_padding_high", op.getEdgePaddingHigh());
  Sizes interior = sizesOf(op, "interior_padding", op.getInteriorPadding());
  Sizes sizes = sizesOf(op.getOperand());
  bool isWhole = true, dependsOnSizes = false;
  auto pads = [&](size_t d) { return low[d].constant() != 0 || high[d].constant() != 0; };
  for (size_t d = 0; d < sizes.size(); ++d) {
    isWhole &= interior[d].constant() == 0;
    dependsOnSizes |= pads(d) && isSized({low[d], high[d], sizes[d]});
  }
  if (!isWhole || !dependsOnSizes) {
    return std::nullopt;
  }
  SizedRead read(e, op.getOperand(), at);
  for (size_t d = 0; d < sizes.size(); ++d) {
    if (pads(d)) {
      read.move(d, SizeExpression(0) - low[d]);
      read.mayLeave(d);
    }
  }
  return read.emit(e.emit(op.getPaddingValue(), e.scalarIndex()));
}

static std::optional<Lanes> emitReverse(ElementEmitter &e, stablehlo::ReverseOp op,
                                        const IndexTuple *at) {
  Sizes sizes = sizesOf(op.getOperand());
  if (none_of(op.getDimensions(),
              [&](int64_t d) { return isSized(sizes[static_cast<size_t>(d)]); })) {
    return std::nullopt;
  }
  SizedRead read(e, op.getOperand(), at);
  for (int64_t d : op.getDimensions()) {
    read.move(static_cast<size_t>(d), sizes[static_cast<size_t>(d)] - 1, -1);
  }
  return read.emit();
}

static std::optional<Lanes> emitSlice(ElementEmitter &e, stablehlo::SliceOp op,
                                      const IndexTuple *at) {
  Sizes start = sizesOf(op, "start_indices", op.getStartIndices());
  Sizes strides = sizesOf(op, "strides", op.getStrides());
  if (!isSized(start) || isSized(strides)) {
    return std::nullopt;
  }
  SizedRead read(e, op.getOperand(), at);
  for (size_t d = 0; d < start.size(); ++d) {
    read.move(d, start[d], *strides[d].constant());
  }
  return read.emit();
}

static std::optional<Lanes> emitDynamicSlice(ElementEmitter &e, stablehlo::DynamicSliceOp op,
                                             const IndexTuple *at) {
  Sizes sizes = sizesOf(op.getOperand()), slice = sizesOf(op.getResult());
  Sizes last;
  for (auto [whole, part] : zip(sizes, slice)) {
    last.push_back(whole - part);
  }
  if (!isSized(last)) {
    return std::nullopt;
  }
  SizedRead read(e, op.getOperand(), at);
  for (auto [d, start] : enumerate(op.getStartIndices())) {
    read.move(d, e.emitClampedIndex(start, e.scalarIndex(), e.extent(last[d])));
  }
  return read.emit();
}

std::optional<Lanes> ElementEmitter::emitSizedMove(mlir::Operation *op, const IndexTuple *at) {
  return TypeSwitch<mlir::Operation *, std::optional<Lanes>>(op)
      .Case([&](stablehlo::ConcatenateOp each) { return emitConcatenate(*this, each, at); })
      .Case([&](stablehlo::PadOp each) { return emitPad(*this, each, at); })
      .Case([&](stablehlo::ReverseOp each) { return emitReverse(*this, each, at); })
      .Case([&](stablehlo::SliceOp each) { return emitSlice(*this, each, at); })
      .Case([&](stablehlo::DynamicSliceOp each) { return emitDynamicSlice(*this, each, at); })
      .Default([](auto) { return std::nullopt; });
}

} // namespace drumlin::codegen
