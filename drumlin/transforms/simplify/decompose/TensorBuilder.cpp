#include "drumlin/transforms/simplify/decompose/TensorBuilder.h"

#include "drumlin/ir/plan/SizeOp.h"
#include "drumlin/ir/stablehlo/StablehloOps.h"
#include "drumlin/support/FloatFormats.h"
#include "drumlin/support/Tensor.h"

using namespace mlir;

namespace drumlin {

//===-- shapes --------------------------------------------------------------------------------===//

TensorShape TensorShape::of(Value value) {
  if (!hasSymbolicSizes(value.getType())) {
    return shapeOf(value);
  }
  TensorShape made;
  for (auto [nominal, size] : llvm::zip_equal(shapeOf(value), symbolicSizesOf(value))) {
    made.push_back({nominal, size});
  }
  return made;
}

Size TensorShape::elements() const {
  Size made(1);
  for (const Size &size : sizes) {
    made = made * size;
  }
  return made;
}

SmallVector<int64_t> TensorShape::nominal() const {
  return llvm::map_to_vector(sizes, [](const Size &size) { return size.nominal; });
}

std::vector<SizeExpression> TensorShape::expressions() const {
  std::vector<SizeExpression> made;
  for (const Size &size : sizes) {
    made.push_back(size.expression());
  }
  return made;
}

RankedTensorType TensorShape::typeOf(Type element) const {
  bool isKnown = llvm::none_of(sizes, [](const Size &size) { return size.symbolic; });
  return isKnown ? RankedTensorType::get(nominal(), element)
                 : typeOfSizes(element, nominal(), expressions());
}

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
  RankedTensorType type = shape.typeOf(element);
  return stablehlo::ConstantOp::create(builder, loc, DenseElementsAttr::get(type, attribute));
}

Value TensorBuilder::integer(Type element, uint64_t value, Sizes shape) {
  RankedTensorType type = shape.typeOf(element);
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
  RankedTensorType type = shape.typeOf(element);
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
  return stablehlo::IotaOp::create(builder, loc, shape.typeOf(element),
                                   static_cast<uint64_t>(dimension));
}

Value TensorBuilder::positions(Type element, Sizes shape) {
  return reshape(iota(element, {shape.elements()}, 0), shape);
}

Value TensorBuilder::count(const Size &size, Sizes shape) {
  if (!size.symbolic) {
    return integer(signedType(64), static_cast<uint64_t>(size.nominal), shape);
  }
  auto made = plan::SizeOp::create(builder, loc, RankedTensorType::get({}, signedType(64)),
                                   builder.getDenseI64ArrayAttr({size.nominal}));
  setSymbolicSizes(made, made.getValueAttrName(), {*size.symbolic});
  return broadcast(made, shape);
}

//===-- elementwise ---------------------------------------------------------------------------===//

Value TensorBuilder::add(Value x, Value y) { return binary<stablehlo::AddOp>(x, y); }
Value TensorBuilder::subtract(Value x, Value y) { return binary<stablehlo::SubtractOp>(x, y); }
Value TensorBuilder::multiply(Value x, Value y) { return binary<stablehlo::MulOp>(x, y); }
Value TensorBuilder::divide(Value x, Value y) { return binary<stablehlo::DivOp>(x, y); }
Value TensorBuilder::logicalAnd(Value x, Value y) { return binary<stablehlo::AndOp>(x, y); }
Value TensorBuilder::logicalOr(Value x, Value y) { return binary<stablehlo::OrOp>(x, y); }
Value TensorBuilder::logicalXor(Value x, Value y) { return binary<stablehlo::XorOp>(x, y); }
Value TensorBuilder::shiftLeft(Value x, uint64_t bits) {
  return binary<stablehlo::ShiftLeftOp>(x, like(x, bits));
}
Value TensorBuilder::shiftRight(Value x, uint64_t bits) {
  return binary<stablehlo::ShiftRightLogicalOp>(x, like(x, bits));
}

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
  if (TensorShape::of(x) == shape) {
    return x;
  }
  return stablehlo::ReshapeOp::create(builder, loc, shape.typeOf(elementOf(x)), x);
}

Value TensorBuilder::broadcast(Value x, Sizes shape, Numbers dimensions) {
  if (TensorShape::of(x) == shape) {
    return x;
  }
  return stablehlo::BroadcastInDimOp::create(builder, loc, shape.typeOf(elementOf(x)), x,
                                             builder.getDenseI64ArrayAttr(dimensions));
}

// Emits a gather with indices clamped to the last element.
Value TensorBuilder::repeat(Value x, int64_t dimension, const Size &size) {
  auto along = static_cast<size_t>(dimension);
  TensorShape shape = TensorShape::of(x), part = shape;
  Type index = signedType(64);
  Value last = subtract(count(shape[along], {size}), integer(index, 1, {size}));
  Value indices = binary<stablehlo::MinOp>(iota(index, {size}, 0), last);
  shape[along] = size;
  part[along] = 1;
  SmallVector<int64_t> others;
  for (int64_t d = 0; d < static_cast<int64_t>(shape.size()); ++d) {
    if (d != dimension) {
      others.push_back(d);
    }
  }
  auto numbers = stablehlo::GatherDimensionNumbersAttr::get(
      builder.getContext(), others, {dimension}, {}, {}, {dimension}, /*indexVectorDim=*/1);
  auto made = stablehlo::GatherOp::create(builder, loc, shape.typeOf(elementOf(x)), x, indices,
                                          numbers, builder.getDenseI64ArrayAttr(part.nominal()),
                                          builder.getBoolAttr(true));
  setSymbolicSizes(made, made.getSliceSizesAttrName(), part.expressions());
  return made;
}

Value TensorBuilder::transpose(Value x, Numbers permutation) {
  if (llvm::equal(permutation, llvm::seq<int64_t>(0, static_cast<int64_t>(permutation.size())))) {
    return x;
  }
  TensorShape from = TensorShape::of(x), shape;
  for (int64_t d : permutation) {
    shape.push_back(from[static_cast<size_t>(d)]);
  }
  return stablehlo::TransposeOp::create(builder, loc, shape.typeOf(elementOf(x)), x,
                                        builder.getDenseI64ArrayAttr(permutation));
}

static Value sliceOf(OpBuilder &builder, Location loc, Value x, TensorBuilder::Sizes shape,
                     ArrayRef<int64_t> start, const TensorShape &limit,
                     const TensorShape &strides) {
  auto made = stablehlo::SliceOp::create(builder, loc, shape.typeOf(TensorBuilder::elementOf(x)), x,
                                         builder.getDenseI64ArrayAttr(start),
                                         builder.getDenseI64ArrayAttr(limit.nominal()),
                                         builder.getDenseI64ArrayAttr(strides.nominal()));
  setSymbolicSizes(made, made.getLimitIndicesAttrName(), limit.expressions());
  setSymbolicSizes(made, made.getStridesAttrName(), strides.expressions());
  return made;
}

Value TensorBuilder::slice(Value x, Numbers start, Numbers limit, Numbers strides) {
  TensorShape shape;
  for (auto [from, to, stride] : llvm::zip_equal(start, limit, strides)) {
    shape.push_back((to - from + stride - 1) / stride);
  }
  return sliceOf(builder, loc, x, shape, start, limit, strides);
}

Value TensorBuilder::everyOf(Value x, Sizes shape, Sizes strides) {
  return sliceOf(builder, loc, x, shape, SmallVector<int64_t>(shape.size(), 0), TensorShape::of(x),
                 strides);
}

Value TensorBuilder::slice(Value x, int64_t dimension, int64_t start, int64_t limit) {
  TensorShape to = TensorShape::of(x);
  auto along = static_cast<size_t>(dimension);
  if (start == 0 && to[along].is(limit)) {
    return x;
  }
  SmallVector<int64_t> from(to.size(), 0), strides(to.size(), 1);
  from[along] = start;
  to[along] = limit;
  TensorShape shape = to;
  shape[along] = limit - start;
  return sliceOf(builder, loc, x, shape, from, to, strides);
}

Value TensorBuilder::concatenate(ValueRange values, int64_t dimension) {
  TensorShape shape = TensorShape::of(values.front());
  auto along = static_cast<size_t>(dimension);
  for (Value value : values.drop_front()) {
    shape[along] = shape[along] + TensorShape::of(value)[along];
  }
  return stablehlo::ConcatenateOp::create(builder, loc, shape.typeOf(elementOf(values.front())),
                                          values, static_cast<uint64_t>(dimension));
}

SmallVector<Value> TensorBuilder::barrier(ValueRange values) {
  auto apart = stablehlo::OptimizationBarrierOp::create(builder, loc, values.getTypes(), values);
  return llvm::to_vector_of<Value>(apart.getResults());
}

Value TensorBuilder::pad(Value x, int64_t dimension, int64_t low, int64_t high) {
  TensorShape shape = TensorShape::of(x);
  auto along = static_cast<size_t>(dimension);
  SmallVector<int64_t> none(shape.size(), 0), before = none, behind = none;
  before[along] = low;
  behind[along] = high;
  shape[along] = shape[along] + low + high;
  return stablehlo::PadOp::create(builder, loc, shape.typeOf(elementOf(x)), x, zero(elementOf(x)),
                                  builder.getDenseI64ArrayAttr(before),
                                  builder.getDenseI64ArrayAttr(behind),
                                  builder.getDenseI64ArrayAttr(none));
}

//===-- reductions ----------------------------------------------------------------------------===//

template <typename Op> Value TensorBuilder::reduced(Value x, Value initial, Numbers dimensions) {
  TensorShape from = TensorShape::of(x), kept;
  for (size_t d = 0; d < from.size(); ++d) {
    if (!llvm::is_contained(dimensions, static_cast<int64_t>(d))) {
      kept.push_back(from[d]);
    }
  }
  Type type = kept.typeOf(elementOf(x));
  auto reduce =
      stablehlo::ReduceOp::create(builder, loc, TypeRange(type), ValueRange{x}, ValueRange{initial},
                                  builder.getDenseI64ArrayAttr(dimensions));
  OpBuilder::InsertionGuard guard(builder);
  Block &body = *builder.createBlock(&reduce.getBody(), {}, {initial.getType(), initial.getType()},
                                     {loc, loc});
  Value combined = binary<Op>(body.getArgument(0), body.getArgument(1));
  stablehlo::ReturnOp::create(builder, loc, combined);
  return reduce.getResult(0);
}

Value TensorBuilder::sum(Value x, Numbers dimensions) {
  // In a type without zero, the initial value is NaN, to which zero is rounded.
  Value initial = isa<FloatType>(elementOf(x)) ? number(elementOf(x), 0) : zero(elementOf(x));
  return reduced<stablehlo::AddOp>(x, initial, dimensions);
}

Value TensorBuilder::largest(Value x, Numbers dimensions) {
  return reduced<stablehlo::MaxOp>(x, zero(elementOf(x)), dimensions);
}

//===-- slices and gathers at computed indices ------------------------------------------------===//

Value TensorBuilder::dynamicSlice(Value x, ValueRange starts, Sizes sizes) {
  auto made = stablehlo::DynamicSliceOp::create(builder, loc, sizes.typeOf(elementOf(x)), x, starts,
                                                builder.getDenseI64ArrayAttr(sizes.nominal()));
  setSymbolicSizes(made, made.getSliceSizesAttrName(), sizes.expressions());
  return made;
}

Value TensorBuilder::dynamicUpdate(Value x, Value update, ValueRange starts) {
  return stablehlo::DynamicUpdateSliceOp::create(builder, loc, x.getType(), x, update, starts);
}

// Returns starts with this index in one dimension and zero in all others.
static SmallVector<Value> startsAt(TensorBuilder &b, Value x, int64_t dimension, Value index) {
  Value zero = b.zero(TensorBuilder::elementOf(index));
  SmallVector<Value> starts(shapeOf(x).size(), zero);
  starts[dimension] = index;
  return starts;
}

Value TensorBuilder::sliceAt(Value x, int64_t dimension, Value index) {
  TensorShape sizes = TensorShape::of(x);
  sizes[static_cast<size_t>(dimension)] = 1;
  Value part = dynamicSlice(x, startsAt(*this, x, dimension, index), sizes);
  sizes.erase(static_cast<size_t>(dimension));
  return reshape(part, sizes);
}

Value TensorBuilder::updateAt(Value x, Value slice, int64_t dimension, Value index) {
  TensorShape sizes = TensorShape::of(x);
  sizes[static_cast<size_t>(dimension)] = 1;
  return dynamicUpdate(x, reshape(slice, sizes), startsAt(*this, x, dimension, index));
}

Value TensorBuilder::take(Value list, Value indices) {
  auto rank = static_cast<int64_t>(shapeOf(indices).size());
  auto numbers =
      stablehlo::GatherDimensionNumbersAttr::get(builder.getContext(), {}, {0}, {}, {}, {0}, rank);
  return stablehlo::GatherOp::create(builder, loc, TensorShape::of(indices).typeOf(elementOf(list)),
                                     list, indices, numbers, builder.getDenseI64ArrayAttr({1}),
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
