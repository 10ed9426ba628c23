// Data movement whose indices depend on sizes known only at run time. Indexing maps can't express
// such indices, because a map's constants are computed from the nominal sizes.
#include "drumlin/codegen/cpu/element/ElementEmitter.h"

#include "drumlin/ir/sizes/ReshapedSizes.h"
#include "drumlin/ir/stablehlo/ConcatenateOp.h"
#include "drumlin/ir/stablehlo/DynamicSliceOp.h"
#include "drumlin/ir/stablehlo/DynamicUpdateSliceOp.h"
#include "drumlin/ir/stablehlo/GatherOp.h"
#include "drumlin/ir/stablehlo/PadOp.h"
#include "drumlin/ir/stablehlo/ReshapeOp.h"
#include "drumlin/ir/stablehlo/ReverseOp.h"
#include "drumlin/ir/stablehlo/SliceOp.h"
#include "drumlin/ir/stablehlo/StablehloTypes.h"
#include "llvm/ADT/TypeSwitch.h"

using namespace llvm;

namespace drumlin::codegen {

using Sizes = std::vector<SizeExpression>;

namespace {
// Computes the operand's index, dimension by dimension, and tracks which lanes have an element at
// this index.
class SizedRead {
public:
  // Starts from the result's index `at`; without `at`, from the operand's first element.
  SizedRead(ElementEmitter &e, mlir::Value operand, const IndexTuple *at)
      : e(e), index(e.index()), operand(operand), sizes(symbolicSizesOf(operand)),
        dims(index.dims(at)) {}
  SizedRead(ElementEmitter &e, mlir::Value operand)
      : e(e), index(e.index()), operand(operand), sizes(symbolicSizesOf(operand)),
        dims(sizes.size(), index.constant(0)) {}

  // Sets dims[d] = dims[d] * stride + offset.
  void move(size_t d, const SizeExpression &offset, int64_t stride = 1) {
    move(d, e.extent(offset), stride);
  }
  void move(size_t d, Value *offset, int64_t stride = 1) {
    dims[d] = index.add(index.multiply(dims[d], stride), index.scalar(offset));
  }
  void move(size_t d, const SizeExpression &offset, const SizeExpression &stride) {
    if (auto known = stride.constant()) {
      move(d, offset, *known);
      return;
    }
    dims[d] = index.add(index.multiply(dims[d], e.extent(stride)), index.scalar(e.extent(offset)));
  }
  // Adds an offset that is uniform or per lane.
  void moveEach(size_t d, Value *offset) {
    dims[d] = index.add(dims[d], offset->getType()->isVectorTy() ? index.fromVector(offset)
                                                                 : index.scalar(offset));
  }
  // Sets the index in a dimension.
  void set(size_t d, const LaneIndex &to) { dims[d] = to; }
  // Divides the index by `distance`. The operand's elements are at multiples of `distance`; lanes
  // at other positions read nothing. A negative index becomes an index outside of the operand.
  void mayLie(size_t d, const SizeExpression &distance) {
    if (distance.constant() == 1) {
      return;
    }
    IRBuilder<> &b = e.ir();
    Value *position = index.asValue(dims[d]);
    Value *by = b.CreateSExtOrTrunc(e.extent(distance), position->getType()->getScalarType());
    by = position->getType()->isVectorTy() ? b.CreateVectorSplat(index.width(), by) : by;
    require(b.CreateICmpEQ(b.CreateSRem(position, by), Constant::getNullValue(by->getType())));
    Value *number = b.CreateSDiv(position, by);
    dims[d] = number->getType()->isVectorTy() ? index.fromVector(number) : index.scalar(number);
  }
  // Restricts the read to lanes whose index is inside of the operand's bounds.
  void mayLeave(size_t d) {
    IRBuilder<> &b = e.ir();
    Value *extent = e.extent(sizes[d]), *position = index.asValue(dims[d]);
    bool isVector = position->getType()->isVectorTy();
    Value *isInside =
        b.CreateICmpULT(position, isVector ? b.CreateVectorSplat(index.width(), extent) : extent);
    require(isInside);
    dims[d].mayLeave = isVector;
  }
  Lanes emit(std::optional<Lanes> otherwise = std::nullopt) {
    auto type = cast<mlir::RankedTensorType>(operand.getType());
    const IndexTuple *from = index.tuple(e.extents(sizes), dims);
    if (!inside || inside->getType()->isVectorTy()) {
      return e.emitRead(operand, {from, inside}, otherwise);
    }
    // Loads of one element for all lanes are unmasked, and the operand may be empty, so the load
    // must be conditional. A loop of at most one iteration serves as the branch.
    IRBuilder<> &b = e.ir();
    Type *element = e.computeType(elementTypeOf(type.getElementType()));
    Value *start = otherwise ? otherwise->value : Constant::getNullValue(element);
    // At a uniform index, a single element is read, and its users expect a scalar.
    bool isOne = !start->getType()->isVectorTy() &&
                 all_of(dims, [](const LaneIndex &dim) { return dim.isUniform(); });
    start = isOne ? start : e.splat(start);
    auto step = [&](Value *, ArrayRef<Value *>) {
      Value *read = e.emit(operand, from).value;
      bool isSplat = isOne && read->getType()->isVectorTy();
      return SmallVector<Value *>{isSplat ? b.CreateExtractElement(read, uint64_t(0))
                                  : isOne ? read
                                          : e.splat(read)};
    };
    return {e.emitLoop(b.getInt64(0), b.CreateZExt(inside, b.getInt64Ty()), 1, {start}, step)[0]};
  }

private:
  void require(Value *condition) { inside = inside ? index.both(inside, condition) : condition; }

  ElementEmitter &e;
  IndexBuilder &index;
  mlir::Value operand;
  Sizes sizes;
  SmallVector<LaneIndex> dims;
  Value *inside = nullptr;
};
} // namespace

static Lanes emitConcatenate(ElementEmitter &e, stablehlo::ConcatenateOp op, const IndexTuple *at) {
  auto d = static_cast<size_t>(op.getDimension());
  Sizes along;
  for (mlir::Value operand : op.getInputs()) {
    along.push_back(symbolicSizesOf(operand)[d]);
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
  return *result;
}

static Lanes emitPad(ElementEmitter &e, stablehlo::PadOp op, const IndexTuple *at) {
  Sizes low = symbolicSizesOf(op, "edge_padding_low", op.getEdgePaddingLow());
  Sizes high = symbolicSizesOf(op, "edge_padding_high", op.getEdgePaddingHigh());
  Sizes interior = symbolicSizesOf(op, "interior_padding", op.getInteriorPadding());
  Sizes sizes = symbolicSizesOf(op.getOperand());
  auto pads = [&](size_t d) {
    return low[d].constant() != 0 || high[d].constant() != 0 || interior[d].constant() != 0;
  };
  SizedRead read(e, op.getOperand(), at);
  for (size_t d = 0; d < sizes.size(); ++d) {
    if (pads(d)) {
      read.move(d, SizeExpression(0) - low[d]);
      read.mayLie(d, interior[d] + 1);
      read.mayLeave(d);
    }
  }
  return read.emit(e.emit(op.getPaddingValue(), e.scalarIndex()));
}

static Lanes emitReverse(ElementEmitter &e, stablehlo::ReverseOp op, const IndexTuple *at) {
  Sizes sizes = symbolicSizesOf(op.getOperand());
  SizedRead read(e, op.getOperand(), at);
  for (int64_t d : op.getDimensions()) {
    read.move(static_cast<size_t>(d), sizes[static_cast<size_t>(d)] - 1, -1);
  }
  return read.emit();
}

static Lanes emitSlice(ElementEmitter &e, stablehlo::SliceOp op, const IndexTuple *at) {
  Sizes start = symbolicSizesOf(op, "start_indices", op.getStartIndices());
  Sizes strides = symbolicSizesOf(op, "strides", op.getStrides());
  SizedRead read(e, op.getOperand(), at);
  for (size_t d = 0; d < start.size(); ++d) {
    read.move(d, start[d], strides[d]);
  }
  return read.emit();
}

static Lanes emitDynamicSlice(ElementEmitter &e, stablehlo::DynamicSliceOp op,
                              const IndexTuple *at) {
  Sizes sizes = symbolicSizesOf(op.getOperand()), slice = symbolicSizesOf(op.getResult());
  Sizes last;
  for (auto [whole, part] : zip(sizes, slice)) {
    last.push_back(whole - part);
  }
  SizedRead read(e, op.getOperand(), at);
  for (auto [d, start] : enumerate(op.getStartIndices())) {
    read.move(d, e.emitClampedIndex(start, e.scalarIndex(), e.extent(last[d])));
  }
  return read.emit();
}

static Lanes emitDynamicUpdateSlice(ElementEmitter &e, stablehlo::DynamicUpdateSliceOp op,
                                    const IndexTuple *at) {
  Sizes sizes = symbolicSizesOf(op.getOperand()), update = symbolicSizesOf(op.getUpdate());
  Sizes last;
  for (auto [whole, part] : zip(sizes, update)) {
    last.push_back(whole - part);
  }
  SizedRead read(e, op.getUpdate(), at);
  for (auto [d, start] : enumerate(op.getStartIndices())) {
    if (!(sizes[d] == update[d])) {
      Value *first = e.emitClampedIndex(start, e.scalarIndex(), e.extent(last[d]));
      read.move(d, e.ir().CreateNeg(first));
      read.mayLeave(d);
    }
  }
  return read.emit(e.emit(op.getOperand(), at));
}

static Lanes emitGather(ElementEmitter &e, stablehlo::GatherOp op, const IndexTuple *at) {
  stablehlo::GatherDimensionNumbersAttr numbers = op.getDimensionNumbers();
  Sizes sizes = symbolicSizesOf(op.getOperand());
  Sizes slice = symbolicSizesOf(op, "slice_sizes", op.getSliceSizes());
  Sizes last;
  for (int64_t d : numbers.getStartIndexMap()) {
    last.push_back(sizes[static_cast<size_t>(d)] - slice[static_cast<size_t>(d)]);
  }
  IndexBuilder &index = e.index();
  SmallVector<LaneIndex> dims(index.dims(at)), batch;
  for (auto [d, dim] : enumerate(dims)) {
    if (!is_contained(numbers.getOffsetDims(), static_cast<int64_t>(d))) {
      batch.push_back(dim);
    }
  }
  SizedRead read(e, op.getOperand());
  size_t offset = 0;
  for (size_t d = 0; d < sizes.size(); ++d) {
    auto dimension = static_cast<int64_t>(d);
    if (!is_contained(numbers.getCollapsedSliceDims(), dimension) &&
        !is_contained(numbers.getOperandBatchingDims(), dimension)) {
      read.set(d, dims[static_cast<size_t>(numbers.getOffsetDims()[offset++])]);
    }
  }
  int64_t vectorDim = numbers.getIndexVectorDim();
  for (auto [d, from] :
       zip(numbers.getOperandBatchingDims(), numbers.getStartIndicesBatchingDims())) {
    read.set(static_cast<size_t>(d),
             batch[static_cast<size_t>(from > vectorDim ? from - 1 : from)]);
  }
  Extents startShape = e.extentsOf(op.getStartIndices());
  for (auto [component, d] : enumerate(numbers.getStartIndexMap())) {
    SmallVector<LaneIndex> held(batch);
    if (vectorDim < static_cast<int64_t>(startShape.size())) {
      held.insert(held.begin() + vectorDim, index.constant(static_cast<int64_t>(component)));
    }
    const IndexTuple *from = held.empty() ? e.scalarIndex() : index.tuple(startShape, held);
    Value *start = e.emitClampedIndex(op.getStartIndices(), from, e.extent(last[component]));
    read.moveEach(static_cast<size_t>(d), start);
  }
  return read.emit();
}

static Lanes emitReshape(ElementEmitter &e, stablehlo::ReshapeOp op, const IndexTuple *at) {
  Sizes from = symbolicSizesOf(op.getOperand()), to = symbolicSizesOf(op.getResult());
  IndexBuilder &index = e.index();
  SmallVector<LaneIndex> dims(index.dims(at)), made(from.size(), index.constant(0));
  for (const ReshapedGroup &group : reshapedGroups(from, to)) {
    LaneIndex position = index.constant(0);
    for (size_t j = group.to; j < group.endTo; ++j) {
      position = index.add(index.multiply(position, e.extent(to[j])), dims[j]);
    }
    size_t first = group.from;
    while (first < group.endFrom && from[first].constant() == 1) {
      ++first;
    }
    for (size_t d = group.endFrom; d-- > first;) {
      made[d] = d == first ? position : index.remainder(position, e.extent(from[d]));
      position = d == first ? position : index.divide(position, e.extent(from[d]));
    }
  }
  return e.emit(op.getOperand(), index.tuple(e.extents(from), made, index.linear(at)));
}

std::optional<Lanes> ElementEmitter::emitSizedMove(mlir::Operation *op, const IndexTuple *at) {
  return TypeSwitch<mlir::Operation *, std::optional<Lanes>>(op)
      .Case([&](stablehlo::ConcatenateOp each) { return emitConcatenate(*this, each, at); })
      .Case([&](stablehlo::PadOp each) { return emitPad(*this, each, at); })
      .Case([&](stablehlo::ReverseOp each) { return emitReverse(*this, each, at); })
      .Case([&](stablehlo::SliceOp each) { return emitSlice(*this, each, at); })
      .Case([&](stablehlo::DynamicSliceOp each) { return emitDynamicSlice(*this, each, at); })
      .Case([&](stablehlo::DynamicUpdateSliceOp each) {
        return emitDynamicUpdateSlice(*this, each, at);
      })
      .Case([&](stablehlo::GatherOp each) { return emitGather(*this, each, at); })
      .Case([&](stablehlo::ReshapeOp each) { return emitReshape(*this, each, at); })
      .Default([](auto) { return std::nullopt; });
}

} // namespace drumlin::codegen
