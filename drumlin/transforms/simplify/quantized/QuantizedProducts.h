// Rewrites dots and convolutions of quantized operands as integer dots and convolutions.
//
//   sum((a - za) sa b sb) = sa sb (sum(a b) - za sum(b))
//
// for a right operand without a zero point.
//
// The left side is the specification's formula, with a rounding to the expressed type after each
// multiplication by a scale; the right side has no such roundings. Both give the same bits only if
// no element is rounded and sums in double precision aren't either, which the rule requires: in
// practice, scales with few significant bits.
#pragma once

#include "drumlin/transforms/Ledger.h"
#include "drumlin/transforms/simplify/decompose/TensorBuilder.h"

namespace drumlin {

// Decides whether a dot or convolution whose operands have these types in the program may use
// integers.
Decision decideIntegerProduct(mlir::Operation *op, mlir::RankedTensorType lhs,
                              mlir::RankedTensorType rhs);

// Returns the result, in the expressed type, of an operation for which that decision was taken. Its
// operands are the stored integers.
mlir::Value integerProduct(TensorBuilder &b, mlir::Operation *op, mlir::RankedTensorType lhs,
                           mlir::RankedTensorType rhs);

// Gives the operation on expressed numbers f64 accumulators, as in the interpreter: where nearly
// all bits cancel, a quantized result would otherwise depend on the order of additions.
void widenSums(TensorBuilder &b, mlir::Operation *op);

} // namespace drumlin
