// Where along a dimension a value may have other elements than one that counts for nothing: what
// padding, slices and other data movement in front of an operation leave of what they move.
#pragma once

#include "mlir/IR/BuiltinAttributes.h"
#include "mlir/IR/Value.h"

namespace drumlin {

// Positions [begin, end) of a dimension; empty where begin == end.
struct ElementRange {
  int64_t begin = 0, end = 0;

  int64_t size() const { return end - begin; }
};

// The elements of a value of known sizes outside of the range are all `filler`, a splat, bit for
// bit.
ElementRange elementRange(mlir::Value value, int64_t dimension, mlir::DenseElementsAttr filler);

// Whether the value is a splat of the same bits.
bool isFilledWith(mlir::Value value, mlir::DenseElementsAttr filler);

} // namespace drumlin
