// Computes where along a dimension a value may have elements other than a neutral filler, by
// looking through the padding, slices and other data movement before an operation.
#pragma once

#include "mlir/IR/BuiltinAttributes.h"
#include "mlir/IR/Value.h"

namespace drumlin {

// Positions [begin, end) of a dimension; empty if begin == end.
struct ElementRange {
  int64_t begin = 0, end = 0;

  int64_t size() const { return end - begin; }
};

// Returns a range outside of which all elements of a statically sized value equal `filler`, a
// splat, bit for bit.
ElementRange elementRange(mlir::Value value, int64_t dimension, mlir::DenseElementsAttr filler);

// Whether all elements of the value have the same bits as the splat `filler`.
bool isFilledWith(mlir::Value value, mlir::DenseElementsAttr filler);

} // namespace drumlin
