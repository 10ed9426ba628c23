#include "drumlin/transforms/simplify/decompose/TensorBuilder.h"

#include "drumlin/support/FloatFormats.h"
#include "drumlin/support/Tensor.h"

using namespace mlir;

namespace drumlin {

//===-- constants -----------------------------------------------------------------------------===//

static TypedAttr numberOf(Type element, double value) {
  return FloatAttr::get(element, roundTo(elementTypeOf(element), value));
}

static Attribute integerOf(Type element, uint64_t value) {
  unsigned bits = element.getIntOrFloatBitWidth();
  return IntegerAttr::get(element, APInt(64, value).zextOrTrunc(bits));
}

Value TensorBuilder::number(Type element, double value, Sizes shape) {
  Attribute attribute =
      isa<FloatType>(element)
          ? Attribute(numberOf(element, value))
          : integerOf(element, static_cast<uint64_t>(static_cast<int64_t>(value)));
  auto type = RankedTensorType::get(shape, element);
  return stablehlo::ConstantOp::create(builder, loc, DenseElementsAttr::get(type, attribute));
}

Value TensorBuilder::integer(Type element, uint64_t value, Sizes shape) {
  auto type = RankedTensorType::get(shape, element);
  return stablehlo::ConstantOp::create(builder, loc,
                                       DenseElementsAttr::get(type, integerOf(element, value)));
}

Value TensorBuilder::zero(Type element, Sizes shape) {
  auto bits = [](Type part) -> Attribute {
    if (auto number = dyn_cast<FloatType>(part)) {
      llvm::APInt none(number.getWidth(), 0);
      return FloatAttr::get(number, llvm::APFloat(number.getFloatSemantics(), none));
    }
    return integerOf(part, 0);
  };
  auto type = RankedTensorType::get(shape, element);
  Attribute value;
  if (auto complex = dyn_cast<ComplexType>(element)) {
    Attribute part = bits(complex.getElementType());
    value = builder.getArrayAttr({part, part});
  } else {
    value = bits(element);
  }
  return stablehlo::ConstantOp::create(builder, loc, DenseElementsAttr::get(type, value));
}

Value TensorBuilder::iota(Type element, Sizes shape, int64_t dimension) {
  return stablehlo::IotaOp::create(builder, loc, RankedTensorType::get(shape, element),
                                   static_cast<uint64_t>(dimension));
}

Value TensorBuilder::positions(Type element, Sizes shape) {
  int64_t count = 1;
  for (int64_t size : shape) {
    count *= size;
  }
  return reshape(iota(element, {count}, 0), shape);
}

//===-- elementwise ---------------------------------------------------------------------------===//

Value TensorBuilder::compare(stablehlo::ComparisonDirection direction, Value x, Value y) {
  return stablehlo::CompareOp::create(
      builder, loc, typeOf(x).clone(builder.getI1Type()), x, y,
      stablehlo::ComparisonDirectionAttr::get(builder.getContext(), direction),
      stablehlo::ComparisonTypeAttr());
}

Value TensorBuilder::select(Value predicate, Value onTrue, Value onFalse) {
  return stablehlo::SelectOp::create(builder, loc, onTrue.getType(), predicate, onTrue, onFalse);
}

Value TensorBuilder::convert(Value x, Type element) {
  if (elementOf(x) == element) {
    return x;
  }
  return stablehlo::ConvertOp::create(builder, loc, typeOf(x).clone(element), x);
}

Value TensorBuilder::bitcast(Value x, Type element) {
  if (elementOf(x) == element) {
    return x;
  }
  return stablehlo::BitcastConvertOp::create(builder, loc, typeOf(x).clone(element), x);
}

//===-- data movement -------------------------------------------------------------------------===//

Value TensorBuilder::reshape(Value x, Sizes shape) {
  if (shapeOf(x) == shape) {
    return x;
  }
  return stablehlo::ReshapeOp::create(builder, loc, typeOf(x).clone(shape), x);
}

Value TensorBuilder::broadcast(Value x, Sizes shape, Sizes dimensions) {
  if (shapeOf(x) == shape) {
    return x;
  }
  return stablehlo::BroadcastInDimOp::create(builder, loc, typeOf(x).clone(shape), x,
                                             builder.getDenseI64ArrayAttr(dimensions));
}

Value TensorBuilder::transpose(Value x, Sizes permutation) {
  if (llvm::equal(permutation, llvm::seq<int64_t>(0, static_cast<int64_t>(permutation.size())))) {
    return x;
  }
  SmallVector<int64_t> shape =
      llvm::map_to_vector(permutation, [&](int64_t d) { return shapeOf(x)[d]; });
  return stablehlo::TransposeOp::create(builder, loc, typeOf(x).clone(shape), x,
                                        builder.getDenseI64ArrayAttr(permutation));
}

Value TensorBuilder::slice(Value x, Sizes start, Sizes limit, Sizes strides) {
  SmallVector<int64_t> shape;
  for (auto [from, to, stride] : llvm::zip_equal(start, limit, strides)) {
    shape.push_back((to - from + stride - 1) / stride);
  }
  return stablehlo::SliceOp::create(
      builder, loc, typeOf(x).clone(shape), x, builder.getDenseI64ArrayAttr(start),
      builder.getDenseI64ArrayAttr(limit), builder.getDenseI64ArrayAttr(strides));
}

Value TensorBuilder::slice(Value x, int64_t dimension, int64_t start, int64_t limit) {
  if (start == 0 && limit == shapeOf(x)[dimension]) {
    return x;
  }
  SmallVector<int64_t> from(shapeOf(x).size(), 0), to(shapeOf(x)), strides(from.size(), 1);
  from[dimension] = start;
  to[dimension] = limit;
  return slice(x, from, to, strides);
}

Value TensorBuilder::concatenate(ValueRange values, int64_t dimension) {
  SmallVector<int64_t> shape(shapeOf(values.front()));
  shape[dimension] = 0;
  for (Value value : values) {
    shape[dimension] += shapeOf(value)[dimension];
  }
  return stablehlo::ConcatenateOp::create(builder, loc, typeOf(values.front()).clone(shape), values,
                                          static_cast<uint64_t>(dimension));
}

SmallVector<Value> TensorBuilder::barrier(ValueRange values) {
  auto apart = stablehlo::OptimizationBarrierOp::create(builder, loc, values.getTypes(), values);
  return llvm::to_vector_of<Value>(apart.getResults());
}

//===-- sums ----------------------------------------------------------------------------------===//

Value TensorBuilder::sum(Value x, Sizes dimensions) {
  // Of a type without zero, what zero is rounded to: NaN.
  Value initial = isa<FloatType>(elementOf(x)) ? number(elementOf(x), 0) : zero(elementOf(x));
  auto reduce =
      stablehlo::ReduceOp::create(builder, loc, ValueRange{x}, ValueRange{initial}, dimensions);
  OpBuilder::InsertionGuard guard(builder);
  Block &body = *builder.createBlock(&reduce.getBody(), {}, {initial.getType(), initial.getType()},
                                     {loc, loc});
  Value total = add(body.getArgument(0), body.getArgument(1));
  stablehlo::ReturnOp::create(builder, loc, total);
  return reduce.getResult(0);
}

//===-- parts that values choose --------------------------------------------------------------===//

Value TensorBuilder::dynamicSlice(Value x, ValueRange starts, Sizes sizes) {
  return stablehlo::DynamicSliceOp::create(builder, loc, typeOf(x).clone(sizes), x, starts,
                                           builder.getDenseI64ArrayAttr(sizes));
}

Value TensorBuilder::dynamicUpdate(Value x, Value update, ValueRange starts) {
  return stablehlo::DynamicUpdateSliceOp::create(builder, loc, x.getType(), x, update, starts);
}

// The index in its dimension, zero in all others.
static SmallVector<Value> startsAt(TensorBuilder &b, Value x, int64_t dimension, Value index) {
  Value zero = b.zero(TensorBuilder::elementOf(index));
  SmallVector<Value> starts(shapeOf(x).size(), zero);
  starts[dimension] = index;
  return starts;
}

Value TensorBuilder::sliceAt(Value x, int64_t dimension, Value index) {
  SmallVector<int64_t> sizes(shapeOf(x));
  sizes[dimension] = 1;
  Value part = dynamicSlice(x, startsAt(*this, x, dimension, index), sizes);
  sizes.erase(sizes.begin() + dimension);
  return reshape(part, sizes);
}

Value TensorBuilder::updateAt(Value x, Value slice, int64_t dimension, Value index) {
  SmallVector<int64_t> sizes(shapeOf(x));
  sizes[dimension] = 1;
  return dynamicUpdate(x, reshape(slice, sizes), startsAt(*this, x, dimension, index));
}

Value TensorBuilder::take(Value list, Value indices) {
  auto rank = static_cast<int64_t>(shapeOf(indices).size());
  auto numbers =
      stablehlo::GatherDimensionNumbersAttr::get(builder.getContext(), {}, {0}, {}, {}, {0}, rank);
  return stablehlo::GatherOp::create(builder, loc, typeOf(list).clone(shapeOf(indices)), list,
                                     indices, numbers, builder.getDenseI64ArrayAttr({1}),
                                     builder.getBoolAttr(false));
}

//===-- loops ---------------------------------------------------------------------------------===//

TensorBuilder::Carried TensorBuilder::whileLoop(ValueRange initial, MakeValue holds,
                                                MakeCarried next) {
  auto loop = stablehlo::WhileOp::create(builder, loc, initial.getTypes(), initial);
  SmallVector<Location> locations(initial.size(), loc);
  auto fill = [&](Region &region, llvm::function_ref<Carried(TensorBuilder &, ValueRange)> make) {
    OpBuilder::InsertionGuard guard(builder);
    Block *block = builder.createBlock(&region, {}, initial.getTypes(), locations);
    stablehlo::ReturnOp::create(builder, loc, make(*this, block->getArguments()));
  };
  fill(loop.getCond(),
       [&](TensorBuilder &b, ValueRange carried) { return Carried{holds(b, carried)}; });
  fill(loop.getBody(), next);
  return llvm::to_vector_of<Value>(loop.getResults());
}

TensorBuilder::Carried TensorBuilder::countedLoop(Value count, ValueRange initial, MakeNext next) {
  Carried carried = {zero(elementOf(count))};
  carried.append(initial.begin(), initial.end());
  Carried results = whileLoop(
      carried,
      [&](TensorBuilder &b, ValueRange values) {
        return b.compare(stablehlo::ComparisonDirection::LT, values[0], count);
      },
      [&](TensorBuilder &b, ValueRange values) {
        Carried made = next(b, values[0], values.drop_front());
        made.insert(made.begin(), b.add(values[0], b.integer(elementOf(count), 1)));
        return made;
      });
  results.erase(results.begin());
  return results;
}

} // namespace drumlin
