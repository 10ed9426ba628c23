// Values with dimensions of which only a bound is known before the program runs: a buffer of the
// bound's size, and how many elements of each dimension count. What lies behind those may be
// anything.
#pragma once

#include "drumlin/transforms/simplify/decompose/TensorBuilder.h"

namespace drumlin {

struct BoundedValue {
  mlir::Value buffer;
  // Of each dimension: a scalar of i32, null where all elements count.
  llvm::SmallVector<mlir::Value> sizes;
  // What lies behind the elements is the program's, which may make a dimension larger to see it:
  // as set_dimension_size leaves it.
  bool keepsRest = false;
};

// Whether a dimension has a bound instead of a size.
bool isBounded(mlir::Type type);
// The bound of such a dimension, else its size.
int64_t extentOf(mlir::RankedTensorType type, int64_t dimension);
// The type of these sizes, with another type's elements where one is given.
mlir::RankedTensorType bufferTypeOf(mlir::RankedTensorType type, mlir::Type element = {});

// Makes operations on them at one place of the program.
class BoundedBuilder : public TensorBuilder {
public:
  using TensorBuilder::TensorBuilder;

  Value count(int64_t size) { return integer(signedType(32), static_cast<uint64_t>(size)); }
  Value sizeOf(const BoundedValue &x, int64_t dimension);
  Value smaller(Value a, Value b) { return binary<stablehlo::MinOp>(a, b); }
  Value larger(Value a, Value b) { return binary<stablehlo::MaxOp>(a, b); }

  // With the extents and the kinds of dimensions of a type: zeros are added behind, elements behind
  // those that count are dropped.
  BoundedValue fitted(BoundedValue x, mlir::RankedTensorType type);
  // Of the elements of a shape, whether they count along one dimension.
  Value isInside(Numbers shape, int64_t dimension, Value size);
  // The buffer with another element (a scalar) wherever one doesn't count along the dimensions.
  Value masked(const BoundedValue &x, Numbers dimensions, Value fill);
  // The elements at indices of one dimension, a list of i32.
  Value takeAlong(Value x, int64_t dimension, Value indices);
  // A part that begins at `start` of one dimension and has `size` of it: zeros behind the end.
  Value sliceFrom(Value x, int64_t dimension, Value start, int64_t size);
  // Elements of a dimension from `start` on are those of `part`, but for those that don't fit.
  Value writeAt(Value x, Value part, int64_t dimension, Value start);
};

} // namespace drumlin
