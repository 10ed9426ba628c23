// Computes the positions along a dimension at which a value may have elements other than a neutral
// filler. Looks through the padding, slices and other data movement that create the value.
#pragma once

#include "mlir/IR/BuiltinAttributes.h"
#include "mlir/IR/Value.h"

namespace drumlin {

// Positions [begin, end) of a dimension; empty if begin == end.
struct ElementRange {
  int64_t begin = 0, end = 0;

  int64_t size() const { return end - begin; }
};

// Returns a range outside of which all elements of a value of static shape have the same bits as
// the splat `filler`.
ElementRange elementRange(mlir::Value value, int64_t dimension, mlir::DenseElementsAttr filler);

// Returns whether all elements of the value have the same bits as the splat `filler`.
bool isFilledWith(mlir::Value value, mlir::DenseElementsAttr filler);

} // namespace drumlin
