#include "drumlin/transforms/simplify/bounds/BoundedValues.h"

#include "drumlin/ir/stablehlo/GatherOp.h"

using namespace mlir;

namespace drumlin {

bool isBounded(Type type) {
  auto tensor = dyn_cast<RankedTensorType>(type);
  return tensor && llvm::any_of(llvm::seq<int64_t>(0, tensor.getRank()), [&](int64_t d) {
           return tensor.isDynamicDim(d) && !ShapedType::isDynamic(stablehlo::boundOf(tensor, d));
         });
}

int64_t extentOf(RankedTensorType type, int64_t dimension) {
  return type.isDynamicDim(dimension) ? stablehlo::boundOf(type, dimension)
                                      : type.getDimSize(dimension);
}

RankedTensorType bufferTypeOf(RankedTensorType type, Type element) {
  SmallVector<int64_t> shape;
  for (int64_t d = 0; d < type.getRank(); ++d) {
    shape.push_back(extentOf(type, d));
  }
  return RankedTensorType::get(shape, element ? element : type.getElementType());
}

Value BoundedBuilder::sizeOf(const BoundedValue &x, int64_t dimension) {
  Value size = x.sizes[dimension];
  return size ? size : count(shapeOf(x.buffer)[dimension]);
}

BoundedValue BoundedBuilder::fitted(BoundedValue x, RankedTensorType type) {
  for (int64_t d = 0; d < type.getRank(); ++d) {
    int64_t wanted = extentOf(type, d), extent = shapeOf(x.buffer)[d];
    if (extent > wanted) {
      x.buffer = slice(x.buffer, d, 0, wanted);
    } else if (extent < wanted) {
      x.buffer = pad(x.buffer, d, 0, wanted - extent);
    }
    if (!type.isDynamicDim(d)) {
      x.sizes[d] = Value();
    } else if (!x.sizes[d]) {
      x.sizes[d] = count(std::min(extent, wanted));
    }
  }
  return x;
}

Value BoundedBuilder::isInside(Numbers shape, int64_t dimension, Value size) {
  return compare(stablehlo::ComparisonDirection::LT, iota(signedType(32), shape, dimension),
                 broadcast(size, shape));
}

Value BoundedBuilder::masked(const BoundedValue &x, Numbers dimensions, Value fill) {
  SmallVector<int64_t> shape(shapeOf(x.buffer));
  Value inside;
  for (int64_t d : dimensions) {
    if (Value size = x.sizes[d]) {
      Value along = isInside(shape, d, size);
      inside = inside ? logicalAnd(inside, along) : along;
    }
  }
  return inside ? select(inside, x.buffer, broadcast(fill, shape)) : x.buffer;
}

Value BoundedBuilder::takeAlong(Value x, int64_t dimension, Value indices) {
  SmallVector<int64_t> shape(shapeOf(x)), part(shape), others;
  shape[dimension] = shapeOf(indices)[0];
  part[dimension] = 1;
  for (int64_t d = 0; d < static_cast<int64_t>(shape.size()); ++d) {
    if (d != dimension) {
      others.push_back(d);
    }
  }
  OpBuilder &builder = operations();
  auto numbers = stablehlo::GatherDimensionNumbersAttr::get(
      builder.getContext(), others, {dimension}, {}, {}, {dimension}, /*indexVectorDim=*/1);
  return stablehlo::GatherOp::create(
      builder, location(), RankedTensorType::get(shape, elementOf(x)), x, indices, numbers,
      builder.getDenseI64ArrayAttr(part), builder.getBoolAttr(false));
}

// Returns starts with this index in one dimension and zero in all others.
static SmallVector<Value> startsAt(BoundedBuilder &b, Value x, int64_t dimension, Value start) {
  SmallVector<Value> starts(shapeOf(x).size(), b.zero(TensorBuilder::elementOf(start)));
  starts[dimension] = start;
  return starts;
}

Value BoundedBuilder::sliceFrom(Value x, int64_t dimension, Value start, int64_t size) {
  Value longer = pad(x, dimension, 0, size);
  SmallVector<int64_t> shape(shapeOf(x));
  shape[dimension] = size;
  return dynamicSlice(longer, startsAt(*this, longer, dimension, start), shape);
}

Value BoundedBuilder::writeAt(Value x, Value part, int64_t dimension, Value start) {
  int64_t size = shapeOf(x)[dimension];
  Value longer = pad(x, dimension, 0, shapeOf(part)[dimension]);
  return slice(dynamicUpdate(longer, part, startsAt(*this, longer, dimension, start)), dimension, 0,
               size);
}

} // namespace drumlin
