#include "drumlin/transforms/simplify/bounds/PadOperations.h"

#include "drumlin/ir/stablehlo/BroadcastInDimOp.h"
#include "drumlin/ir/stablehlo/ClampOp.h"
#include "drumlin/ir/stablehlo/ConcatenateOp.h"
#include "drumlin/ir/stablehlo/DynamicBroadcastInDimOp.h"
#include "drumlin/ir/stablehlo/DynamicIotaOp.h"
#include "drumlin/ir/stablehlo/DynamicPadOp.h"
#include "drumlin/ir/stablehlo/DynamicReshapeOp.h"
#include "drumlin/ir/stablehlo/DynamicSliceOp.h"
#include "drumlin/ir/stablehlo/DynamicUpdateSliceOp.h"
#include "drumlin/ir/stablehlo/GatherOp.h"
#include "drumlin/ir/stablehlo/GetDimensionSizeOp.h"
#include "drumlin/ir/stablehlo/OptimizationBarrierOp.h"
#include "drumlin/ir/stablehlo/PadOp.h"
#include "drumlin/ir/stablehlo/RealDynamicSliceOp.h"
#include "drumlin/ir/stablehlo/ReshapeOp.h"
#include "drumlin/ir/stablehlo/ReverseOp.h"
#include "drumlin/ir/stablehlo/SelectOp.h"
#include "drumlin/ir/stablehlo/SetDimensionSizeOp.h"
#include "drumlin/ir/stablehlo/SliceOp.h"
#include "drumlin/ir/stablehlo/TransposeOp.h"

#include "llvm/ADT/TypeSwitch.h"

using namespace mlir;

namespace drumlin {

using Operands = ArrayRef<BoundedValue>;
using Results = BoundedResults;
using stablehlo::ComparisonDirection;

RankedTensorType resultType(Operation *op, unsigned result) {
  return cast<RankedTensorType>(op->getResult(result).getType());
}

SmallVector<int64_t> allDimensions(Value x) {
  return llvm::to_vector(llvm::seq<int64_t>(0, static_cast<int64_t>(shapeOf(x).size())));
}

Results oneResult(Value buffer, SmallVector<Value> sizes, bool keepsRest) {
  return SmallVector<BoundedValue>{{buffer, std::move(sizes), keepsRest}};
}

Operation *cloneOn(BoundedBuilder &b, Operation *op, ValueRange operands, TypeRange types) {
  Operation *made = b.operations().clone(*op);
  made->setOperands(operands);
  for (auto [result, type] : llvm::zip_equal(made->getResults(), types)) {
    result.setType(type);
  }
  return made;
}

Value valueOn(BoundedBuilder &b, Operation *op, ValueRange operands, Type type) {
  return cloneOn(b, op, operands, TypeRange(type))->getResult(0);
}

SmallVector<Value> noSizes(int64_t rank) { return SmallVector<Value>(static_cast<size_t>(rank)); }

// Returns an element of a list of sizes, as i32.
static Value entryOf(BoundedBuilder &b, Value list, int64_t index) {
  return b.convert(b.reshape(b.slice(list, 0, index, index + 1), {}), b.signedType(32));
}

// Returns the sizes of the bounded dimensions of `type`: the elements of `list`, limited to the
// bounds.
static SmallVector<Value> sizesFrom(BoundedBuilder &b, Value list, RankedTensorType type) {
  SmallVector<Value> sizes = noSizes(type.getRank());
  for (int64_t d = 0; d < type.getRank(); ++d) {
    if (type.isDynamicDim(d)) {
      sizes[d] = b.larger(b.smaller(entryOf(b, list, d), b.count(extentOf(type, d))), b.count(0));
    }
  }
  return sizes;
}

//===-- sizes ---------------------------------------------------------------------------------===//

static Results padSetSize(BoundedBuilder &b, stablehlo::SetDimensionSizeOp op, Operands operands) {
  BoundedValue made = operands[0];
  auto d = static_cast<int64_t>(op.getDimension());
  if (!made.keepsRest) { // the elements that an enlarged dimension reveals are zeros
    made.buffer =
        b.masked(made, allDimensions(made.buffer), b.zero(TensorBuilder::elementOf(made.buffer)));
  }
  made = b.fitted(made, cast<RankedTensorType>(op.getOperand().getType()));
  Value most = b.count(shapeOf(made.buffer)[d]);
  made.sizes[d] = b.larger(b.smaller(operands[1].buffer, most), b.count(0));
  made.keepsRest = true;
  return SmallVector<BoundedValue>{made};
}

//===-- elementwise, and data movement --------------------------------------------------------===//

static Results padElementwise(BoundedBuilder &b, Operation *op, Operands operands) {
  RankedTensorType type = resultType(op);
  SmallVector<Value> buffers, sizes = noSizes(type.getRank());
  bool keepsRest = true;
  for (const BoundedValue &operand : operands) {
    auto own = TensorBuilder::typeOf(operand.buffer);
    if (own.getRank() == 0 && type.getRank() != 0) {
      buffers.push_back(operand.buffer);
      continue;
    }
    buffers.push_back(b.fitted(operand, bufferTypeOf(type, own.getElementType())).buffer);
    keepsRest &= operand.keepsRest;
    for (auto [size, from] : llvm::zip_equal(sizes, operand.sizes)) {
      size = size ? size : from;
    }
  }
  return oneResult(valueOn(b, op, buffers, bufferTypeOf(type)), sizes, keepsRest);
}

static Results padTranspose(BoundedBuilder &b, stablehlo::TransposeOp op, Operands operands) {
  SmallVector<Value> sizes;
  for (int64_t d : op.getPermutation()) {
    sizes.push_back(operands[0].sizes[d]);
  }
  return oneResult(b.transpose(operands[0].buffer, op.getPermutation()), sizes);
}

// The valid elements are the last ones of the reversed buffer.
static Results padReverse(BoundedBuilder &b, stablehlo::ReverseOp op, Operands operands) {
  Value buffer = valueOn(b, op, operands[0].buffer, operands[0].buffer.getType());
  for (int64_t d : op.getDimensions()) {
    if (Value size = operands[0].sizes[d]) {
      int64_t extent = shapeOf(buffer)[d];
      buffer = b.sliceFrom(buffer, d, b.subtract(b.count(extent), size), extent);
    }
  }
  return oneResult(buffer, operands[0].sizes);
}

static Results padBroadcast(BoundedBuilder &b, Operation *op, ArrayRef<int64_t> places,
                            const BoundedValue &operand, SmallVector<Value> sizes) {
  RankedTensorType type = resultType(op);
  Value buffer = operand.buffer;
  for (auto [i, place] : llvm::enumerate(places)) {
    auto d = static_cast<int64_t>(i);
    int64_t extent = extentOf(type, place), own = shapeOf(buffer)[d];
    if (Value size = operand.sizes[d]) {
      // If the dimension has one element at run time, that element is repeated.
      Value last = b.broadcast(b.subtract(size, b.count(1)), {extent});
      Value indices = b.smaller(b.iota(b.signedType(32), {extent}, 0), last);
      buffer = b.takeAlong(buffer, d, indices);
      sizes[place] = sizes[place] ? sizes[place] : size;
    } else if (own != 1 && own < extent) {
      buffer = b.pad(buffer, d, 0, extent - own);
    } else if (own > extent) {
      buffer = b.slice(buffer, d, 0, extent);
    }
    if (type.isDynamicDim(place) && !sizes[place]) {
      sizes[place] = b.count(own);
    }
  }
  return oneResult(b.broadcast(buffer, bufferTypeOf(type).getShape(), places), sizes);
}

// Writes each operand after the valid elements of the previous operand, over that operand's invalid
// elements.
static Results padConcatenate(BoundedBuilder &b, stablehlo::ConcatenateOp op, Operands operands) {
  RankedTensorType type = resultType(op);
  auto along = static_cast<int64_t>(op.getDimension());
  SmallVector<int64_t> shape(bufferTypeOf(type).getShape());
  SmallVector<Value> sizes = noSizes(type.getRank());
  int64_t total = 0;
  for (const BoundedValue &operand : operands) {
    total += shapeOf(operand.buffer)[along];
  }
  shape[along] = total;
  Value buffer = b.zero(type.getElementType(), shape), end = b.count(0);
  for (const BoundedValue &operand : operands) {
    SmallVector<int64_t> part(shape);
    part[along] = shapeOf(operand.buffer)[along];
    Value own = b.fitted(operand, RankedTensorType::get(part, type.getElementType())).buffer;
    SmallVector<Value> starts(shape.size(), b.count(0));
    starts[along] = end;
    buffer = b.dynamicUpdate(buffer, own, starts);
    end = b.add(end, b.sizeOf(operand, along));
    for (auto [size, from] : llvm::zip_equal(sizes, operand.sizes)) {
      size = size ? size : from;
    }
  }
  sizes[along] = end;
  return oneResult(buffer, sizes);
}

// Pads with `low` elements before the operand, and `between` elements between two adjacent
// elements.
static Results padPad(BoundedBuilder &b, stablehlo::PadOp op, Operands operands) {
  const BoundedValue &x = operands[0];
  Value buffer = b.masked(x, allDimensions(x.buffer), operands[1].buffer);
  SmallVector<int64_t> shape;
  SmallVector<Value> sizes = noSizes(op.getType().getRank());
  for (int64_t d = 0; d < op.getType().getRank(); ++d) {
    int64_t extent = shapeOf(buffer)[d], between = op.getInteriorPadding()[d];
    int64_t around = op.getEdgePaddingLow()[d] + op.getEdgePaddingHigh()[d];
    shape.push_back(
        std::max<int64_t>(extent + std::max<int64_t>(extent - 1, 0) * between + around, 0));
    if (Value size = x.sizes[d]) {
      Value gaps = b.larger(b.subtract(size, b.count(1)), b.count(0));
      Value all = b.add(b.add(size, b.multiply(gaps, b.count(between))), b.count(around));
      sizes[d] = b.larger(all, b.count(0));
    }
  }
  return oneResult(valueOn(b, op, {buffer, operands[1].buffer},
                           RankedTensorType::get(shape, op.getType().getElementType())),
                   sizes);
}

static Results padDynamicPad(BoundedBuilder &b, stablehlo::DynamicPadOp op, Operands operands) {
  BoundedValue x = operands[0];
  RankedTensorType type = resultType(op);
  SmallVector<Value> sizes = noSizes(type.getRank());
  Value fill = operands[1].buffer;
  for (int64_t d = 0; d < type.getRank(); ++d) {
    Value low = entryOf(b, operands[2].buffer, d), high = entryOf(b, operands[3].buffer, d);
    Value step = b.add(entryOf(b, operands[4].buffer, d), b.count(1));
    Value size = b.sizeOf(x, d), none = b.count(0);
    Value inside = b.add(b.multiply(b.larger(b.subtract(size, b.count(1)), none), step),
                         b.smaller(size, b.count(1)));
    sizes[d] = b.larger(b.add(b.add(low, inside), high), none);
    int64_t extent = extentOf(type, d);
    auto all = [&](Value scalar) { return b.broadcast(scalar, {extent}); };
    Value places = b.subtract(b.iota(b.signedType(32), {extent}, 0), all(low));
    Value indices = b.divide(places, all(step));
    Value isElement =
        b.logicalAnd(b.compare(ComparisonDirection::EQ, b.multiply(indices, all(step)), places),
                     b.logicalAnd(b.compare(ComparisonDirection::GE, places, all(none)),
                                  b.compare(ComparisonDirection::LT, indices, all(size))));
    Value taken = b.takeAlong(x.buffer, d, indices);
    SmallVector<int64_t> shape(shapeOf(taken));
    x.buffer = b.select(b.broadcast(isElement, shape, {d}), taken, b.broadcast(fill, shape));
  }
  return oneResult(x.buffer, sizes);
}

//===-- slices and updates --------------------------------------------------------------------===//

// Returns the number of elements at distance `stride` between two limits.
static Value stepsBetween(BoundedBuilder &b, Value start, Value limit, Value stride) {
  Value more = b.larger(b.subtract(limit, start), b.count(0));
  return b.divide(b.add(more, b.subtract(stride, b.count(1))), stride);
}

static Results padSlice(BoundedBuilder &b, stablehlo::SliceOp op, Operands operands) {
  SmallVector<Value> sizes = noSizes(op.getType().getRank());
  SmallVector<int64_t> shape;
  for (int64_t d = 0; d < op.getType().getRank(); ++d) {
    int64_t start = op.getStartIndices()[d], limit = op.getLimitIndices()[d];
    int64_t stride = op.getStrides()[d];
    shape.push_back((limit - start + stride - 1) / stride);
    if (Value size = operands[0].sizes[d]) {
      sizes[d] = stepsBetween(b, b.count(start), b.smaller(size, b.count(limit)), b.count(stride));
    }
  }
  return oneResult(valueOn(b, op, operands[0].buffer,
                           RankedTensorType::get(shape, op.getType().getElementType())),
                   sizes);
}

static Results padRealDynamicSlice(BoundedBuilder &b, stablehlo::RealDynamicSliceOp op,
                                   Operands operands) {
  Value buffer = operands[0].buffer;
  RankedTensorType type = resultType(op);
  SmallVector<Value> sizes = noSizes(type.getRank());
  for (int64_t d = 0; d < type.getRank(); ++d) {
    int64_t extent = extentOf(type, d);
    Value start = entryOf(b, operands[1].buffer, d), limit = entryOf(b, operands[2].buffer, d);
    Value stride = b.larger(entryOf(b, operands[3].buffer, d), b.count(1));
    sizes[d] = stepsBetween(b, start, b.smaller(limit, b.sizeOf(operands[0], d)), stride);
    Value indices =
        b.add(b.multiply(b.iota(b.signedType(32), {extent}, 0), b.broadcast(stride, {extent})),
              b.broadcast(start, {extent}));
    buffer = b.takeAlong(buffer, d, indices);
  }
  return oneResult(buffer, sizes);
}

// Moves `start` so that a part of this size is inside the valid elements.
static Value clampedStart(BoundedBuilder &b, Value start, Value size, Value part) {
  Type element = TensorBuilder::elementOf(start);
  Value most = b.larger(b.subtract(size, part), b.count(0));
  return b.convert(b.larger(b.smaller(b.convert(start, b.signedType(32)), most), b.count(0)),
                   element);
}

static Results padDynamicSlice(BoundedBuilder &b, stablehlo::DynamicSliceOp op, Operands operands) {
  SmallVector<Value> passed = {operands[0].buffer};
  for (int64_t d = 0; d < op.getType().getRank(); ++d) {
    Value start = operands[static_cast<size_t>(d) + 1].buffer;
    Value size = operands[0].sizes[d];
    passed.push_back(size ? clampedStart(b, start, size, b.count(op.getSliceSizes()[d])) : start);
  }
  return oneResult(valueOn(b, op, passed, bufferTypeOf(op.getType())),
                   noSizes(op.getType().getRank()));
}

// Writes only the valid elements of an update of bounded size.
static Results padUpdate(BoundedBuilder &b, stablehlo::DynamicUpdateSliceOp op, Operands operands) {
  BoundedValue x = operands[0];
  const BoundedValue &update = operands[1];
  SmallVector<Value> starts;
  SmallVector<int64_t> extents(shapeOf(x.buffer)), part(shapeOf(update.buffer));
  bool isBounded = false;
  for (int64_t d = 0; d < static_cast<int64_t>(extents.size()); ++d) {
    Value start = operands[static_cast<size_t>(d) + 2].buffer;
    isBounded |= update.sizes[d] != Value();
    bool clampsToSize = (x.sizes[d] && !x.keepsRest) || update.sizes[d];
    Value size = x.keepsRest ? b.count(extents[d]) : b.sizeOf(x, d);
    starts.push_back(clampsToSize ? clampedStart(b, start, size, b.sizeOf(update, d)) : start);
  }
  Value buffer = x.buffer, values = update.buffer;
  if (isBounded) {
    for (size_t d = 0; d < part.size(); ++d) {
      buffer = b.pad(buffer, static_cast<int64_t>(d), 0, part[d]);
    }
    BoundedValue old{b.dynamicSlice(buffer, starts, part), noSizes(x.sizes.size())};
    Value inside;
    for (int64_t d = 0; d < static_cast<int64_t>(part.size()); ++d) {
      if (Value size = update.sizes[d]) {
        Value along = b.isInside(part, d, size);
        inside = inside ? b.logicalAnd(inside, along) : along;
      }
    }
    values = b.select(inside, values, old.buffer);
  }
  buffer = b.dynamicUpdate(buffer, values, starts);
  for (size_t d = 0; d < extents.size(); ++d) {
    buffer = b.slice(buffer, static_cast<int64_t>(d), 0, extents[d]);
  }
  x.buffer = buffer;
  return SmallVector<BoundedValue>{x};
}

// Moves indices so that slices are inside the valid elements.
static Results padGather(BoundedBuilder &b, stablehlo::GatherOp op, Operands operands) {
  stablehlo::GatherDimensionNumbersAttr roles = op.getDimensionNumbers();
  Value indices = operands[1].buffer;
  Type element = TensorBuilder::elementOf(indices);
  SmallVector<Value> most;
  for (int64_t d : roles.getStartIndexMap()) {
    Value last = b.subtract(b.sizeOf(operands[0], d), b.count(op.getSliceSizes()[d]));
    most.push_back(b.reshape(b.convert(b.larger(last, b.count(0)), element), {1}));
  }
  if (!most.empty()) {
    SmallVector<int64_t> shape(shapeOf(indices));
    int64_t vector = roles.getIndexVectorDim();
    bool isScalar = vector == static_cast<int64_t>(shape.size());
    Value list = b.concatenate(most, 0);
    Value limits =
        isScalar ? b.broadcast(b.reshape(list, {}), shape) : b.broadcast(list, shape, {vector});
    indices = b.smaller(indices, limits);
  }
  SmallVector<Value> sizes;
  int64_t batch = 0;
  for (int64_t d = 0; d < op.getType().getRank(); ++d) {
    if (llvm::is_contained(roles.getOffsetDims(), d)) {
      sizes.emplace_back();
      continue;
    }
    batch += batch == roles.getIndexVectorDim() ? 1 : 0;
    sizes.push_back(operands[1].sizes[batch++]);
  }
  return oneResult(valueOn(b, op, {operands[0].buffer, indices}, bufferTypeOf(op.getType())),
                   sizes);
}

//===-- reshapes ------------------------------------------------------------------------------===//

// Returns the only bounded dimension of `shape`, or -1 if no dimension is bounded. Returns nothing
// if an outer dimension splits the valid elements into several pieces.
static std::optional<int64_t> outermostBounded(ArrayRef<int64_t> shape, ArrayRef<bool> areBounded,
                                               size_t from) {
  std::optional<int64_t> found;
  for (size_t d = from; d < shape.size(); ++d) {
    if (areBounded[d] && found) {
      return std::nullopt;
    }
    if (areBounded[d]) {
      found = static_cast<int64_t>(d);
    } else if (!found && shape[d] != 1) {
      found = -1;
    }
  }
  return found.value_or(-1);
}

// Reshapes the buffer. After the leading dimensions, which stay, the valid elements come first in
// row-major order, in the operand as well as in the result.
static Results padReshape(BoundedBuilder &b, Operation *op, Operands operands) {
  RankedTensorType type = resultType(op);
  const BoundedValue &x = operands[0];
  SmallVector<int64_t> from(shapeOf(x.buffer)), to(bufferTypeOf(type).getShape());
  SmallVector<bool> fromBounded, toBounded;
  for (Value size : x.sizes) {
    fromBounded.push_back(size != Value());
  }
  for (int64_t d = 0; d < type.getRank(); ++d) {
    toBounded.push_back(type.isDynamicDim(d));
  }
  size_t same = 0;
  while (same < from.size() && same < to.size() && from[same] == to[same] && !fromBounded[same] &&
         !toBounded[same]) {
    ++same;
  }
  std::optional<int64_t> first = outermostBounded(from, fromBounded, same);
  std::optional<int64_t> second = outermostBounded(to, toBounded, same);
  if (!first || !second) {
    return std::nullopt;
  }
  auto product = [](ArrayRef<int64_t> sizes) {
    int64_t made = 1;
    for (int64_t size : sizes) {
      made *= size;
    }
    return made;
  };
  int64_t before = product(ArrayRef(from).take_front(same));
  int64_t had = product(ArrayRef(from).drop_front(same)),
          has = product(ArrayRef(to).drop_front(same));
  Value flat = b.reshape(x.buffer, {before, had});
  flat = had < has ? b.pad(flat, 1, 0, has - had) : b.slice(flat, 1, 0, has);
  SmallVector<Value> sizes = noSizes(type.getRank());
  if (*second >= 0) {
    auto inner = [&](ArrayRef<int64_t> shape, int64_t d) {
      return product(shape.drop_front(static_cast<size_t>(d) + 1));
    };
    Value elements =
        *first >= 0 ? b.multiply(x.sizes[*first], b.count(inner(from, *first))) : b.count(had);
    sizes[*second] = b.divide(elements, b.count(std::max<int64_t>(inner(to, *second), 1)));
  }
  return oneResult(b.reshape(flat, to), sizes);
}

Results padOperation(Operation *op, Operands operands) {
  BoundedBuilder b(op);
  if (op->hasTrait<OpTrait::Elementwise>() || isa<stablehlo::SelectOp, stablehlo::ClampOp>(op)) {
    return op->getNumResults() == 1 ? padElementwise(b, op, operands) : std::nullopt;
  }
  return TypeSwitch<Operation *, Results>(op)
      .Case<stablehlo::SetDimensionSizeOp>([&](auto set) { return padSetSize(b, set, operands); })
      .Case<stablehlo::GetDimensionSizeOp>([&](stablehlo::GetDimensionSizeOp get) {
        return oneResult(b.sizeOf(operands[0], static_cast<int64_t>(get.getDimension())), {});
      })
      .Case<stablehlo::TransposeOp>([&](auto made) { return padTranspose(b, made, operands); })
      .Case<stablehlo::ReverseOp>([&](auto made) { return padReverse(b, made, operands); })
      .Case<stablehlo::BroadcastInDimOp>([&](auto made) {
        return padBroadcast(b, op, made.getBroadcastDimensions(), operands[0],
                            noSizes(made.getType().getRank()));
      })
      .Case<stablehlo::DynamicBroadcastInDimOp>([&](auto made) {
        return padBroadcast(b, op, made.getBroadcastDimensions(), operands[0],
                            sizesFrom(b, operands[1].buffer, resultType(op)));
      })
      .Case<stablehlo::DynamicIotaOp>([&](stablehlo::DynamicIotaOp iota) {
        RankedTensorType type = bufferTypeOf(resultType(op));
        return oneResult(b.iota(type.getElementType(), type.getShape(),
                                static_cast<int64_t>(iota.getIotaDimension())),
                         sizesFrom(b, operands[0].buffer, resultType(op)));
      })
      .Case<stablehlo::ConcatenateOp>([&](auto made) { return padConcatenate(b, made, operands); })
      .Case<stablehlo::PadOp>([&](auto made) { return padPad(b, made, operands); })
      .Case<stablehlo::DynamicPadOp>([&](auto made) { return padDynamicPad(b, made, operands); })
      .Case<stablehlo::SliceOp>([&](auto made) { return padSlice(b, made, operands); })
      .Case<stablehlo::RealDynamicSliceOp>(
          [&](auto made) { return padRealDynamicSlice(b, made, operands); })
      .Case<stablehlo::DynamicSliceOp>(
          [&](auto made) { return padDynamicSlice(b, made, operands); })
      .Case<stablehlo::DynamicUpdateSliceOp>(
          [&](auto made) { return padUpdate(b, made, operands); })
      .Case<stablehlo::GatherOp>([&](auto made) { return padGather(b, made, operands); })
      .Case<stablehlo::ReshapeOp, stablehlo::DynamicReshapeOp>(
          [&](auto) { return padReshape(b, op, operands); })
      .Case<stablehlo::OptimizationBarrierOp>([&](auto) -> Results {
        SmallVector<BoundedValue> made(operands);
        SmallVector<Value> buffers;
        for (const BoundedValue &each : made) {
          buffers.push_back(each.buffer);
        }
        for (auto [each, value] : llvm::zip_equal(made, b.barrier(buffers))) {
          each.buffer = value;
        }
        return made;
      })
      .Default([&](Operation *) { return padReduction(b, op, operands); });
}

} // namespace drumlin
