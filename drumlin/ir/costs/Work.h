// The arithmetic that one operation asks for, as costs count it (drumlin/support/Cost.h).
#pragma once

#include "mlir/IR/Operation.h"

#include <cstdint>

namespace drumlin {

// Whether the operation converts a float to a float type of more bits.
bool isUpcast(mlir::Operation *op);

// FLOPs of one evaluation of one result element: one for a pointwise operation, one for each
// combined element and operation of the body for a reduction; 0 for what only moves elements, and
// for heroes. `isFollowed`: of a prefix scan that a traversal follows, which combines one.
double flopsPerEvaluation(mlir::Operation *op, bool isFollowed = false);

// A dot or convolution: [batch, m, k] by [batch, k, n].
struct ContractionShape {
  int64_t batch = 1, m = 1, n = 1, k = 1;
};
ContractionShape contractionShape(mlir::Operation *op);

// Elements of the result times terms of each sum, padding and dilation included: what a machine
// does that knows nothing of them.
int64_t denseMultiplyAdds(mlir::Operation *op);
// The same without terms that a convolution's padding or dilation puts in.
int64_t multiplyAdds(mlir::Operation *op);

// Combinations of elements that lie inside the operand, over all results of a reduce_window.
int64_t windowTerms(mlir::Operation *op, bool isFollowed = false);

// FLOPs of a whole sort, top_k, scatter, select_and_scatter or fft: comparisons as n log2 n,
// updates and window positions once each, times the operations of their bodies; of a Fourier
// transform 5 n log2 n, half of it where the operand or the result is real.
int64_t heroFlops(mlir::Operation *op);

} // namespace drumlin
