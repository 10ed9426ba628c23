// Rewrites dots and convolutions of quantized operands as integer dots and convolutions.
//
//   sum((a - za) sa b sb) = sa sb (sum(a b) - za sum(b))
//
// for a right operand without a zero point.
//
// The left side is the specification's formula, which rounds to the expressed type after each
// multiplication by a scale. The right side has no such roundings. Both give the same bits only if
// neither the elements nor sums in double precision are rounded. The rule requires this; in
// practice it holds for scales with few significant bits.
#pragma once

#include "drumlin/transforms/Ledger.h"
#include "drumlin/transforms/simplify/decompose/TensorBuilder.h"

namespace drumlin {

// Decides whether a dot or convolution may use integers. `lhs` and `rhs` are the types that its
// operands have in the program.
Decision decideIntegerProduct(mlir::Operation *op, mlir::RankedTensorType lhs,
                              mlir::RankedTensorType rhs);

// Returns the result, in the expressed type, of an operation for which decideIntegerProduct()
// returned `taken`. The operation's operands are the stored integers.
mlir::Value integerProduct(TensorBuilder &b, mlir::Operation *op, mlir::RankedTensorType lhs,
                           mlir::RankedTensorType rhs);

// Makes an operation on expressed numbers use f64 accumulators, as the interpreter does. Otherwise,
// a quantized result would depend on the order of additions when nearly all bits cancel.
void widenSums(TensorBuilder &b, mlir::Operation *op);

} // namespace drumlin
