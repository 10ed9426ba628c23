// Values with dimensions whose size is at most a bound that is known at compile time. Such a value
// is a buffer with the bounds as its sizes, and the number of valid elements along each dimension.
// The elements after the valid ones are undefined.
#pragma once

#include "drumlin/ir/stablehlo/MaxOp.h"
#include "drumlin/ir/stablehlo/MinOp.h"
#include "drumlin/transforms/simplify/decompose/TensorBuilder.h"

namespace drumlin {

struct BoundedValue {
  mlir::Value buffer;
  // Per dimension: an i32 scalar, or null if all elements are valid.
  llvm::SmallVector<mlir::Value> sizes;
  // True after set_dimension_size: elements after the valid ones have defined values too, since the
  // program may enlarge a dimension to read them.
  bool keepsRest = false;
};

// Returns whether any dimension has a bound instead of a size.
bool isBounded(mlir::Type type);
// Returns the bound of a bounded dimension, or the size of a static dimension.
int64_t extentOf(mlir::RankedTensorType type, int64_t dimension);
// Returns the static type with these sizes; `element` replaces the element type if given.
mlir::RankedTensorType bufferTypeOf(mlir::RankedTensorType type, mlir::Type element = {});

// Creates operations on bounded values at one location of the program.
class BoundedBuilder : public TensorBuilder {
public:
  using TensorBuilder::TensorBuilder;

  Value count(int64_t size) { return integer(signedType(32), static_cast<uint64_t>(size)); }
  Value sizeOf(const BoundedValue &x, int64_t dimension);
  Value smaller(Value a, Value b) { return binary<stablehlo::MinOp>(a, b); }
  Value larger(Value a, Value b) { return binary<stablehlo::MaxOp>(a, b); }

  // Converts `x` to the extents of `type`, with dimensions bounded or static as in `type`. Pads
  // with zeros, and drops elements after the valid ones.
  BoundedValue fitted(BoundedValue x, mlir::RankedTensorType type);
  // Returns, for each element of a shape, whether the element is valid along one dimension.
  Value isInside(Numbers shape, int64_t dimension, Value size);
  // Returns the buffer with invalid elements along `dimensions` replaced by the scalar `fill`.
  Value masked(const BoundedValue &x, Numbers dimensions, Value fill);
  // Gathers elements along one dimension at `indices`, a list of i32.
  Value takeAlong(Value x, int64_t dimension, Value indices);
  // Returns `size` elements of one dimension, beginning at `start`, with zeros after the end.
  Value sliceFrom(Value x, int64_t dimension, Value start, int64_t size);
  // Overwrites elements of a dimension, beginning at `start`, with `part`. Elements of `part` after
  // the end are dropped.
  Value writeAt(Value x, Value part, int64_t dimension, Value start);
};

} // namespace drumlin
