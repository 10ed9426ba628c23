#include "drumlin/codegen/cpu/element/LaneIndex.h"

#include "llvm/ADT/Sequence.h"
#include "llvm/IR/Constants.h"
#include "llvm/Support/MathExtras.h"

using namespace llvm;

namespace drumlin::codegen {

// Numbers of smaller magnitude than this are compared in 32 bits, so that a register holds twice
// the number of lanes.
static constexpr int64_t narrowEnd = int64_t(1) << 30;

LaneIndex IndexBuilder::constant(int64_t value) const {
  return {builder.getInt64(static_cast<uint64_t>(value)), LaneForm::constant(value), nullptr,
          value < 0};
}

LaneIndex IndexBuilder::scalar(Value *value, int64_t alignment) const {
  return scalar(value, LaneForm{false, 0, alignment});
}

LaneIndex IndexBuilder::scalar(Value *value, const LaneForm &form) const {
  if (auto *known = dyn_cast<ConstantInt>(value)) {
    return constant(known->getSExtValue());
  }
  return {value, form};
}

LaneIndex IndexBuilder::laneOf(Value *base, int64_t alignment) const {
  LaneIndex index = scalar(base, alignment);
  index.form.stride = 1;
  return index;
}

LaneIndex IndexBuilder::fromVector(Value *vector, bool mayLeave) const {
  return {nullptr, LaneForm::varying(), vector, false, mayLeave};
}

Value *IndexBuilder::asVector(const LaneIndex &a) {
  if (a.vector) {
    return a.vector;
  }
  Value *base = builder.CreateVectorSplat(vectorWidth, a.base);
  if (a.isUniform()) {
    return base;
  }
  SmallVector<Constant *> steps;
  for (unsigned lane = 0; lane < vectorWidth; ++lane) {
    steps.push_back(builder.getInt64(static_cast<uint64_t>(a.form.step(lane))));
  }
  return builder.CreateAdd(base, ConstantVector::get(steps));
}

Value *IndexBuilder::asNarrowValue(const LaneIndex &a) {
  auto isWide = [&](unsigned lane) { return std::abs(a.form.step(lane)) >= narrowEnd; };
  if (a.vector || a.isUniform() || any_of(seq(vectorWidth), isWide)) {
    return asValue(a);
  }
  Type *narrow = builder.getInt32Ty();
  SmallVector<Constant *> steps;
  for (unsigned lane = 0; lane < vectorWidth; ++lane) {
    steps.push_back(ConstantInt::getSigned(narrow, a.form.step(lane)));
  }
  Value *base = builder.CreateVectorSplat(vectorWidth, builder.CreateTrunc(a.base, narrow));
  return builder.CreateAdd(base, ConstantVector::get(steps));
}

LaneIndex IndexBuilder::add(const LaneIndex &a, const LaneIndex &b) {
  if (a.vector || b.vector) {
    return fromVector(builder.CreateAdd(asVector(a), asVector(b)), a.mayLeave || b.mayLeave);
  }
  return {builder.CreateAdd(a.base, b.base, "", /*NUW=*/false, /*NSW=*/true), sum(a.form, b.form),
          nullptr, a.mayBeginNegative || b.mayBeginNegative, a.mayLeave || b.mayLeave};
}

LaneIndex IndexBuilder::addConstant(const LaneIndex &a, int64_t c) {
  return c == 0 ? a : add(a, constant(c));
}

LaneIndex IndexBuilder::multiply(const LaneIndex &a, int64_t c) {
  if (c == 1) {
    return a;
  }
  if (c == 0) {
    return constant(0);
  }
  if (a.vector) {
    return fromVector(
        builder.CreateMul(a.vector, builder.CreateVectorSplat(
                                        vectorWidth, builder.getInt64(static_cast<uint64_t>(c)))),
        a.mayLeave);
  }
  return {builder.CreateMul(a.base, builder.getInt64(static_cast<uint64_t>(c)), "", false, true),
          drumlin::product(a.form, c), nullptr, a.mayBeginNegative || c < 0, a.mayLeave};
}

Value *IndexBuilder::divideVector(Value *vector, int64_t c, bool wantRemainder) {
  Type *wide = vector->getType();
  // Division by a power of two becomes a shift or a mask, which is as fast in 64 bits.
  if (isNarrow && !isPowerOf2_64(static_cast<uint64_t>(c))) {
    vector = builder.CreateTrunc(vector, FixedVectorType::get(builder.getInt32Ty(), vectorWidth));
  }
  Constant *by = ConstantInt::get(vector->getType(), static_cast<uint64_t>(c));
  Value *result = wantRemainder ? builder.CreateURem(vector, by) : builder.CreateUDiv(vector, by);
  return builder.CreateZExt(result, wide);
}

Value *IndexBuilder::both(Value *a, Value *b) {
  auto spread = [&](Value *each) {
    return each->getType()->isVectorTy() ? each : builder.CreateVectorSplat(vectorWidth, each);
  };
  return a->getType() == b->getType() ? builder.CreateAnd(a, b)
                                      : builder.CreateAnd(spread(a), spread(b));
}

// Returns `value` mod `by`. The result is in [0, by), also if `value` is negative.
Value *IndexBuilder::wrap(Value *value, Value *by) {
  Value *rest = builder.CreateSRem(value, by);
  Value *isBelow = builder.CreateICmpSLT(rest, builder.getInt64(0));
  return builder.CreateSelect(isBelow, builder.CreateAdd(rest, by), rest);
}

LaneIndex IndexBuilder::divide(const LaneIndex &a, int64_t c) {
  if (c == 1) {
    return a;
  }
  LaneForm form = quotient(a.form, c, vectorWidth);
  if (form.varies) {
    return fromVector(divideVector(asVector(a), c, /*wantRemainder=*/false), a.mayLeave);
  }
  Value *by = builder.getInt64(static_cast<uint64_t>(c));
  if (!a.mayBeginNegative || divisionOf(a.form, c, vectorWidth) == LaneDivision::InBlock) {
    return {builder.CreateUDiv(a.base, by), form, nullptr, false, a.mayLeave};
  }
  // If the alignment is a multiple of c, the base's remainder is a constant.
  Value *left = a.form.alignment % c == 0
                    ? builder.getInt64(static_cast<uint64_t>(mod(a.form.residue, c)))
                    : wrap(a.base, by);
  return {builder.CreateExactSDiv(builder.CreateSub(a.base, left), by), form, nullptr, true,
          a.mayLeave};
}

LaneIndex IndexBuilder::remainder(const LaneIndex &a, int64_t c) {
  if (c == 1) {
    return constant(0);
  }
  LaneForm form = drumlin::remainder(a.form, c, vectorWidth);
  if (form.varies) {
    return fromVector(divideVector(asVector(a), c, /*wantRemainder=*/true));
  }
  Value *by = builder.getInt64(static_cast<uint64_t>(c));
  if (form.alignment == 0) {
    return {builder.getInt64(static_cast<uint64_t>(form.residue)), form};
  }
  if (divisionOf(a.form, c, vectorWidth) == LaneDivision::InBlock) {
    return {builder.CreateURem(a.base, by), form};
  }
  if (!a.mayBeginNegative) {
    return scalar(builder.CreateURem(a.base, by), form);
  }
  // All lanes have the same remainder. The base may be negative while some lanes have valid
  // indices, so the remainder of a negative base must be correct, too.
  return scalar(wrap(a.base, by), form);
}

LaneIndex IndexBuilder::multiply(const LaneIndex &a, Value *c) {
  if (auto *known = dyn_cast<ConstantInt>(c)) {
    return multiply(a, known->getSExtValue());
  }
  if (a.isUniform()) {
    return {builder.CreateMul(a.base, c, "", false, true), LaneForm{false, 0, 1}, nullptr,
            a.mayBeginNegative, a.mayLeave};
  }
  return fromVector(builder.CreateMul(asVector(a), builder.CreateVectorSplat(vectorWidth, c)),
                    a.mayLeave);
}

// Returns a divisor that isn't zero. Dimensions of size 0 have no indices, but code for unused
// lanes still divides by the size, and a division by 0 would end the process.
static Value *divisor(IRBuilder<> &builder, Value *size) {
  return builder.CreateBinaryIntrinsic(Intrinsic::umax, size, builder.getInt64(1));
}

LaneIndex IndexBuilder::divide(const LaneIndex &a, Value *c) {
  if (auto *known = dyn_cast<ConstantInt>(c)) {
    return divide(a, known->getSExtValue());
  }
  c = divisor(builder, c);
  if (a.isUniform()) {
    return {builder.CreateUDiv(a.base, c), LaneForm{false, 0, 1}, nullptr, false, a.mayLeave};
  }
  return fromVector(builder.CreateUDiv(asVector(a), builder.CreateVectorSplat(vectorWidth, c)),
                    a.mayLeave);
}

LaneIndex IndexBuilder::remainder(const LaneIndex &a, Value *c) {
  if (auto *known = dyn_cast<ConstantInt>(c)) {
    return remainder(a, known->getSExtValue());
  }
  c = divisor(builder, c);
  if (a.isUniform()) {
    return scalar(builder.CreateURem(a.base, c));
  }
  return fromVector(builder.CreateURem(asVector(a), builder.CreateVectorSplat(vectorWidth, c)));
}

LaneIndex IndexBuilder::leaving(const LaneIndex &a, const Extent &size) {
  LaneIndex marked = a;
  marked.mayLeave = true;
  return brought(marked, size);
}

LaneIndex IndexBuilder::brought(const LaneIndex &a, const Extent &size) {
  if (!a.mayLeave || !a.isUniform()) {
    return a;
  }
  Value *zero = builder.getInt64(0);
  Value *atLeast = builder.CreateBinaryIntrinsic(Intrinsic::smax, a.base, zero);
  Value *last = builder.CreateBinaryIntrinsic(
      Intrinsic::smax, builder.CreateSub(asValue(size), builder.getInt64(1)), zero);
  return scalar(builder.CreateBinaryIntrinsic(Intrinsic::smin, atLeast, last));
}

//===- extents --------------------------------------------------------------===//

Extents knownExtents(ArrayRef<int64_t> shape) { return Extents(shape.begin(), shape.end()); }

Value *IndexBuilder::asValue(const Extent &size) {
  return size.known ? builder.getInt64(static_cast<uint64_t>(*size.known)) : size.value;
}

Extent IndexBuilder::product(ArrayRef<Extent> sizes) {
  int64_t known = 1;
  Value *computed = nullptr;
  for (const Extent &size : sizes) {
    if (size.known) {
      known *= *size.known;
    } else {
      computed = computed ? builder.CreateMul(computed, size.value, "", false, true) : size.value;
    }
  }
  if (!computed || known == 0) {
    return known;
  }
  return Extent(known == 1 ? computed
                           : builder.CreateMul(computed, asValue(Extent(known)), "", false, true));
}

static bool areKnown(ArrayRef<Extent> shape) {
  return all_of(shape, [](const Extent &size) { return size.known; });
}

bool hasKnownStrides(ArrayRef<Extent> shape) {
  shape = shape.drop_while([](const Extent &size) { return size.is(1); });
  return shape.empty() || areKnown(shape.drop_front());
}

// Returns sizes from which strides can be computed. Replaces an unknown outermost size by a
// placeholder, since no stride depends on that size.
static Shape shapeForStrides(ArrayRef<Extent> shape) {
  Shape made;
  for (const Extent &size : shape) {
    made.push_back(size.known.value_or(2));
  }
  return made;
}

//===- tuples ---------------------------------------------------------------===//

const IndexTuple *IndexBuilder::tuple(Extents shape, ArrayRef<LaneIndex> dims) {
  IndexTuple &made = tuples.emplace_back();
  made.shape = std::move(shape);
  for (auto [size, dim] : zip(made.shape, dims)) {
    made.dims.push_back(size.is(1) ? constant(0) : brought(dim, size));
  }
  made.hasDims = true;
  made.isUniform = all_of(made.dims, [](const LaneIndex &dim) { return dim.isUniform(); });
  return &made;
}

const IndexTuple *IndexBuilder::tuple(Extents shape, ArrayRef<LaneIndex> dims,
                                      const LaneIndex &linear) {
  tuple(std::move(shape), dims);
  tuples.back().linear = linear;
  return &tuples.back();
}

const IndexTuple *IndexBuilder::tupleFromLinear(Extents shape, LaneIndex linear) {
  IndexTuple &made = tuples.emplace_back();
  made.shape = std::move(shape);
  bool isOne = all_of(made.shape, [](const Extent &size) { return size.is(1); });
  made.linear = isOne ? constant(0) : linear;
  if (made.linear->mayLeave && made.linear->isUniform()) {
    made.linear = brought(linear, product(made.shape));
  }
  made.isUniform = made.linear->isUniform();
  return &made;
}

LaneIndex IndexBuilder::evaluate(const IndexingMap &map, mlir::AffineExpr expression,
                                 const IndexTuple *at, ArrayRef<LaneIndex> symbols) {
  if (auto value = dyn_cast<mlir::AffineConstantExpr>(expression)) {
    return constant(value.getValue());
  }
  if (auto dim = dyn_cast<mlir::AffineDimExpr>(expression)) {
    return dims(at)[dim.getPosition()];
  }
  if (auto symbol = dyn_cast<mlir::AffineSymbolExpr>(expression)) {
    return symbols[symbol.getPosition()];
  }
  auto binary = cast<mlir::AffineBinaryOpExpr>(expression);
  LaneIndex left = evaluate(map, binary.getLHS(), at, symbols);
  auto right = dyn_cast<mlir::AffineConstantExpr>(binary.getRHS());
  if (expression.getKind() == mlir::AffineExprKind::Add) {
    return right ? addConstant(left, right.getValue())
                 : add(left, evaluate(map, binary.getRHS(), at, symbols));
  }
  int64_t by = right.getValue();
  if (expression.getKind() == mlir::AffineExprKind::Mul) {
    return multiply(left, by);
  }
  // Division is unsigned, so a multiple of the divisor is first added to a dividend that may be
  // negative.
  int64_t raised = -std::min<int64_t>(divideFloorSigned(map.range(binary.getLHS()).first, by), 0);
  left = addConstant(left, raised * by);
  return expression.getKind() == mlir::AffineExprKind::FloorDiv
             ? addConstant(divide(left, by), -raised)
             : remainder(left, by);
}

// Returns the map from row-major positions to indices of a shape.
static IndexingMap mapFromPositions(const Shape &shape, mlir::MLIRContext *context) {
  int64_t count = *elementCount(shape);
  IndexingBuilder made({count}, shape, context);
  std::vector<mlir::AffineExpr> index = reshapedIndex({count}, {made.dim(0)}, shape, context);
  for (auto [d, each] : enumerate(index)) {
    made.at(d) = each;
  }
  return made.finish();
}

IndexBuilder::Read IndexBuilder::read(const IndexingMap &map, const IndexTuple *at, Extents shape,
                                      Load load) {
  // The map is composed with the map of `at`, unless that map has symbols, whose values must be
  // loaded. A composed map is simplified by the ranges of the indices, so the sizes that determine
  // these ranges must be known at compile time.
  bool isJoined = at->origin && at->symbols.empty() && areKnown(at->origin->shape);
  const IndexTuple *origin = isJoined ? at->origin : at;
  IndexingMap whole = isJoined ? at->map->followedBy(map) : map;
  if (!isJoined && !at->origin && !areKnown(at->shape)) {
    (void)dims(at);
  }
  if (!isJoined && !at->origin && !at->hasDims) {
    IndexTuple &positions = tuples.emplace_back();
    positions.shape = {product(at->shape)};
    positions.dims = {*at->linear};
    positions.hasDims = true;
    positions.isUniform = at->isUniform;
    origin = &positions;
    whole = mapFromPositions(Shape(map.sizes()), map.map().getContext()).followedBy(map);
  }
  readsNominally |= !whole.holdsAtAllSizes();
  if (whole.readsNothing()) {
    return {};
  }
  IndexTuple &made = tuples.emplace_back();
  made.shape = std::move(shape);
  made.origin = origin;
  for (const IndexingMap::Symbol &symbol : whole.symbols()) {
    SmallVector<LaneIndex> held = map_to_vector(symbol.at.getResults(), [&](auto each) {
      return evaluate(whole, each, origin, made.symbols);
    });
    made.symbols.push_back(load(symbol, held));
  }
  Value *inside = nullptr;
  for (const IndexingMap::Constraint &each : whole.constraints()) {
    LaneIndex position =
        addConstant(evaluate(whole, each.expression, origin, made.symbols), -each.low);
    auto [least, most] = whole.range(each.expression);
    int64_t count = each.high - each.low + 1;
    bool isNarrow = least - each.low > -narrowEnd && most - each.low < narrowEnd;
    Value *value = isNarrow && count < narrowEnd ? asNarrowValue(position) : asValue(position);
    Value *holds = builder.CreateICmpULT(
        value, ConstantInt::get(value->getType(), static_cast<uint64_t>(count)));
    inside = inside ? both(inside, holds) : holds;
  }
  SmallVector<LaneForm> forms, symbolForms;
  for (const LaneIndex &dim : dims(origin)) {
    forms.push_back(dim.form);
  }
  for (const LaneIndex &symbol : made.symbols) {
    symbolForms.push_back(symbol.form);
  }
  made.isUniform = all_of(whole.map().getResults(), [&](mlir::AffineExpr each) {
    return laneForm(each, forms, symbolForms, vectorWidth).isUniform();
  });
  made.map = whole.unconstrained();
  return {&made, inside};
}

const IndexTuple *IndexBuilder::along(const IndexingMap &map, const IndexTuple *at, Extents shape) {
  const IndexTuple *from = read(map, at, shape, nullptr).from;
  // If the map reads nothing, the code at this index never runs, but it must be given some index.
  SmallVector<LaneIndex> zeros(shape.size(), constant(0));
  return from ? from : tuple(std::move(shape), zeros);
}

// The indices of unused lanes may be out of the operand's bounds.
LaneIndex IndexBuilder::indexInto(int64_t size, const Extent &extent, mlir::AffineExpr expression,
                                  const IndexTuple &tuple) {
  LaneIndex index = evaluate(*tuple.map, expression, tuple.origin, tuple.symbols);
  auto [low, high] = tuple.map->range(expression);
  return low < 0 || high >= size ? leaving(index, extent) : brought(index, extent);
}

ArrayRef<LaneIndex> IndexBuilder::dims(const IndexTuple *tuple) {
  auto *made = const_cast<IndexTuple *>(tuple);
  if (!made->hasDims && made->map) {
    for (auto [expression, size, extent] :
         zip(made->map->map().getResults(), made->map->operandSizes(), made->shape)) {
      made->dims.push_back(indexInto(size, extent, expression, *made));
    }
    made->hasDims = true;
  }
  if (!made->hasDims) {
    // Converts a row-major position to an index: the last dimension varies fastest. The outermost
    // dimension of more than one element needs no remainder.
    auto isMany = [](const Extent &size) { return !size.known || *size.known > 1; };
    LaneIndex rest = *made->linear;
    auto first = static_cast<size_t>(llvm::find_if(made->shape, isMany) - made->shape.begin());
    made->dims.assign(made->shape.size(), constant(0));
    for (size_t i = made->shape.size(); i-- > first;) {
      if (isMany(made->shape[i])) {
        Value *size = asValue(made->shape[i]);
        made->dims[i] = i == first ? brought(rest, made->shape[i]) : remainder(rest, size);
        rest = i == first ? rest : divide(rest, size);
      }
    }
    made->hasDims = true;
  }
  return made->dims;
}

LaneIndex IndexBuilder::linearOfDims(const IndexTuple &tuple) {
  ArrayRef<LaneIndex> at = dims(&tuple);
  LaneIndex sum = constant(0);
  if (hasKnownStrides(tuple.shape)) {
    Shape strides = rowMajorStrides(shapeForStrides(tuple.shape));
    for (size_t i = 0; i < at.size(); ++i) {
      if (!tuple.shape[i].is(1)) {
        sum = add(sum, multiply(at[i], strides[i]));
      }
    }
    return sum;
  }
  Value *stride = builder.getInt64(1);
  for (size_t i = tuple.shape.size(); i-- > 0;) {
    if (!tuple.shape[i].is(1)) {
      sum = add(sum, multiply(at[i], stride));
    }
    stride = i == 0 ? stride : builder.CreateMul(stride, asValue(tuple.shape[i]), "", false, true);
  }
  return sum;
}

const LaneIndex &IndexBuilder::linear(const IndexTuple *tuple) {
  auto *made = const_cast<IndexTuple *>(tuple);
  bool hasStrides = hasKnownStrides(made->shape);
  if (!made->linear && made->map) {
    const IndexTuple *origin = made->origin;
    bool isLine = origin->shape.size() == 1 || !hasKnownStrides(origin->shape);
    bool isKnown = origin->linear || (!hasStrides && isLine);
    if (isKnown && made->map->keepsPositions()) {
      made->linear = linear(origin);
    } else if (hasStrides) {
      int64_t count = *elementCount(made->map->operandSizes());
      LaneIndex position = evaluate(*made->map, made->map->position(), origin, made->symbols);
      auto [low, high] = made->map->range(made->map->position());
      position.mayLeave |= low < 0 || high >= count;
      made->linear = position.mayLeave && position.isUniform()
                         ? brought(position, product(made->shape))
                         : position;
    }
  }
  if (!made->linear) {
    made->linear = linearOfDims(*made);
  }
  return *made->linear;
}

} // namespace drumlin::codegen
