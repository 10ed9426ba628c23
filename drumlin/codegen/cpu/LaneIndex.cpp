#include "drumlin/codegen/cpu/LaneIndex.h"

#include "llvm/IR/Constants.h"

#include <numeric>

using namespace llvm;

namespace drumlin::codegen {

LaneIndex IndexBuilder::constant(int64_t value) const {
  // Zero is a multiple of everything; a large power of two says so.
  return {builder.getInt64(value), 0, nullptr, value == 0 ? int64_t(1) << 32 : std::abs(value),
          value < 0};
}

LaneIndex IndexBuilder::scalar(Value *value, int64_t alignment) const {
  if (auto *known = dyn_cast<ConstantInt>(value)) {
    return constant(known->getSExtValue());
  }
  return {value, 0, nullptr, alignment};
}

LaneIndex IndexBuilder::laneOf(Value *base, int64_t alignment) const {
  LaneIndex index = scalar(base, alignment);
  index.stride = 1;
  return index;
}

LaneIndex IndexBuilder::fromVector(Value *vector) const { return {nullptr, 0, vector, 1}; }

Value *IndexBuilder::asVector(const LaneIndex &a) {
  if (a.vector) {
    return a.vector;
  }
  Value *base = builder.CreateVectorSplat(vectorWidth, a.base);
  if (a.stride == 0) {
    return base;
  }
  SmallVector<Constant *> steps;
  for (unsigned lane = 0; lane < vectorWidth; ++lane) {
    steps.push_back(builder.getInt64(static_cast<uint64_t>(static_cast<int64_t>(lane) * a.stride)));
  }
  return builder.CreateAdd(base, ConstantVector::get(steps));
}

LaneIndex IndexBuilder::add(const LaneIndex &a, const LaneIndex &b) {
  if (a.vector || b.vector) {
    return fromVector(builder.CreateAdd(asVector(a), asVector(b)));
  }
  return {builder.CreateAdd(a.base, b.base, "", /*NUW=*/false, /*NSW=*/true), a.stride + b.stride,
          nullptr, std::gcd(a.alignment, b.alignment), a.mayBeginNegative || b.mayBeginNegative};
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
    return fromVector(builder.CreateMul(
        a.vector,
        builder.CreateVectorSplat(vectorWidth, builder.getInt64(static_cast<uint64_t>(c)))));
  }
  int64_t alignment = 0;
  if (__builtin_mul_overflow(a.alignment, std::abs(c), &alignment)) {
    alignment = a.alignment;
  }
  return {builder.CreateMul(a.base, builder.getInt64(static_cast<uint64_t>(c)), "", false, true),
          a.stride * c, nullptr, alignment, a.mayBeginNegative || c < 0};
}

// Whether all lanes of `a` lie in one block of c: they don't pass a multiple of c.
bool IndexBuilder::staysInBlock(const LaneIndex &a, int64_t c) const {
  if (a.vector || a.stride < 0) {
    return false;
  }
  int64_t span = a.stride * (static_cast<int64_t>(vectorWidth) - 1) + 1;
  int64_t step = std::gcd(a.alignment, c);
  return span <= step;
}

Value *IndexBuilder::divideVector(Value *vector, int64_t c, bool wantRemainder) {
  Type *wide = vector->getType();
  if (isNarrow) {
    vector = builder.CreateTrunc(vector, FixedVectorType::get(builder.getInt32Ty(), vectorWidth));
  }
  Constant *by = ConstantInt::get(vector->getType(), static_cast<uint64_t>(c));
  Value *result = wantRemainder ? builder.CreateURem(vector, by) : builder.CreateUDiv(vector, by);
  return builder.CreateZExt(result, wide);
}

LaneIndex IndexBuilder::divide(const LaneIndex &a, int64_t c) {
  if (c == 1) {
    return a;
  }
  if (a.vector || (a.stride != 0 && !staysInBlock(a, c))) {
    if (!a.vector && a.stride % c == 0 && a.alignment % c == 0) {
      // The quotient is exact, of a negative base too.
      Value *by = builder.getInt64(static_cast<uint64_t>(c));
      Value *base =
          a.mayBeginNegative ? builder.CreateExactSDiv(a.base, by) : builder.CreateUDiv(a.base, by);
      return {base, a.stride / c, nullptr, a.alignment / c, a.mayBeginNegative};
    }
    return fromVector(divideVector(asVector(a), c, /*wantRemainder=*/false));
  }
  return {builder.CreateUDiv(a.base, builder.getInt64(static_cast<uint64_t>(c))), 0, nullptr,
          a.alignment % c == 0 ? a.alignment / c : 1};
}

LaneIndex IndexBuilder::remainder(const LaneIndex &a, int64_t c) {
  if (c == 1) {
    return constant(0);
  }
  if (a.vector || (a.stride != 0 && !staysInBlock(a, c))) {
    if (!a.vector && a.stride % c == 0) {
      Value *by = builder.getInt64(static_cast<uint64_t>(c));
      if (!a.mayBeginNegative) {
        return scalar(builder.CreateURem(a.base, by), std::gcd(a.alignment, c));
      }
      // That of all lanes, those with an index that counts among them: in [0, c).
      Value *rest = builder.CreateSRem(a.base, by);
      Value *isBelow = builder.CreateICmpSLT(rest, builder.getInt64(0));
      rest = builder.CreateSelect(isBelow, builder.CreateAdd(rest, by), rest);
      return scalar(rest, std::gcd(a.alignment, c));
    }
    return fromVector(divideVector(asVector(a), c, /*wantRemainder=*/true));
  }
  return {builder.CreateURem(a.base, builder.getInt64(static_cast<uint64_t>(c))), a.stride, nullptr,
          std::gcd(a.alignment, c)};
}

const IndexTuple *IndexBuilder::tuple(Shape shape, ArrayRef<LaneIndex> dims) {
  IndexTuple &made = tuples.emplace_back();
  made.shape = std::move(shape);
  for (auto [size, dim] : zip(made.shape, dims)) {
    made.dims.push_back(size == 1 ? constant(0) : dim);
  }
  made.hasDims = true;
  made.isUniform = all_of(made.dims, [](const LaneIndex &dim) { return dim.isUniform(); });
  return &made;
}

const IndexTuple *IndexBuilder::tuple(Shape shape, ArrayRef<LaneIndex> dims,
                                      const LaneIndex &linear) {
  tuple(std::move(shape), dims);
  tuples.back().linear = linear;
  return &tuples.back();
}

const IndexTuple *IndexBuilder::tupleFromLinear(Shape shape, LaneIndex linear) {
  IndexTuple &made = tuples.emplace_back();
  made.shape = std::move(shape);
  made.linear = elementCount(made.shape) == 1 ? constant(0) : linear;
  made.isUniform = made.linear->isUniform();
  return &made;
}

LaneIndex IndexBuilder::evaluate(mlir::AffineExpr expression, ArrayRef<LaneIndex> dims) {
  if (auto value = dyn_cast<mlir::AffineConstantExpr>(expression)) {
    return constant(value.getValue());
  }
  if (auto dim = dyn_cast<mlir::AffineDimExpr>(expression)) {
    return dims[dim.getPosition()];
  }
  auto binary = cast<mlir::AffineBinaryOpExpr>(expression);
  LaneIndex left = evaluate(binary.getLHS(), dims);
  auto right = dyn_cast<mlir::AffineConstantExpr>(binary.getRHS());
  if (expression.getKind() == mlir::AffineExprKind::Mul) {
    return multiply(left, right.getValue());
  }
  assert(expression.getKind() == mlir::AffineExprKind::Add && "moves have no quotients");
  return right ? addConstant(left, right.getValue()) : add(left, evaluate(binary.getRHS(), dims));
}

const IndexTuple *IndexBuilder::along(const IndexingMap &map, const IndexTuple *at) {
  SmallVector<LaneIndex> read;
  ArrayRef<LaneIndex> given = dims(at);
  for (mlir::AffineExpr expression : map.map().getResults()) {
    read.push_back(evaluate(expression, given));
  }
  return tuple(Shape(map.operandSizes()), read);
}

const IndexTuple *IndexBuilder::reshape(const IndexTuple *from, Shape shape) {
  return tupleFromLinear(std::move(shape), linear(from));
}

ArrayRef<LaneIndex> IndexBuilder::dims(const IndexTuple *tuple) {
  auto *made = const_cast<IndexTuple *>(tuple);
  if (!made->hasDims) {
    // Row-major position to index: the last dimension varies fastest. What is left for the first
    // needs no remainder.
    LaneIndex rest = *made->linear;
    made->dims.resize(made->shape.size());
    for (size_t i = made->shape.size(); i-- > 0;) {
      int64_t size = std::max<int64_t>(made->shape[i], 1);
      made->dims[i] = size == 1 ? constant(0) : i == 0 ? rest : remainder(rest, size);
      if (i != 0) {
        rest = divide(rest, size);
      }
    }
    made->hasDims = true;
  }
  return made->dims;
}

const LaneIndex &IndexBuilder::linear(const IndexTuple *tuple) {
  auto *made = const_cast<IndexTuple *>(tuple);
  if (!made->linear) {
    Shape strides = rowMajorStrides(made->shape);
    LaneIndex sum = constant(0);
    for (size_t i = 0; i < made->dims.size(); ++i) {
      if (made->shape[i] != 1) {
        sum = add(sum, multiply(made->dims[i], strides[i]));
      }
    }
    made->linear = sum;
  }
  return *made->linear;
}

} // namespace drumlin::codegen
