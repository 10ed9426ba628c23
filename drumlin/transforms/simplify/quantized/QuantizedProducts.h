// Products of quantized operands as products of the integers that they are stored as.
//
//   sum((a - za) sa b sb) = sa sb (sum(a b) - za sum(b))
//
// of a right operand without a zero point.
//
// The left side is what the specification says, with a rounding to the expressed type after each
// product with a scale; the right side has none of them. So both give the same bits only where no
// element is rounded, and sums in double precision aren't either, which is what the rule asks for:
// in practice scales of few significant bits.
#pragma once

#include "drumlin/transforms/Ledger.h"
#include "drumlin/transforms/simplify/decompose/TensorBuilder.h"

namespace drumlin {

// Whether a dot or convolution of operands of these types, which the program gave it, may be one of
// integers.
Decision decideIntegerProduct(mlir::Operation *op, mlir::RankedTensorType lhs,
                              mlir::RankedTensorType rhs);

// The result in the expressed type, of a product for which that is taken. Its operands are the
// stored integers.
mlir::Value integerProduct(TensorBuilder &b, mlir::Operation *op, mlir::RankedTensorType lhs,
                           mlir::RankedTensorType rhs);

// The operation itself, which computes on expressed numbers, with sums in f64, as the interpreter
// has them: a quantized result then depends on their order where hardly a bit of them is left.
void widenSums(TensorBuilder &b, mlir::Operation *op);

} // namespace drumlin
