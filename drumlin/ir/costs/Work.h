// The arithmetic of one operation, as costs count it (drumlin/support/Cost.h).
#pragma once

#include "mlir/IR/Operation.h"

#include <cstdint>

namespace drumlin {

// Whether the operation converts a float to a float type of more bits.
bool isUpcast(mlir::Operation *op);

// Returns the FLOPs of one evaluation of one result element: one for a pointwise operation, one per
// combined element and operation of the body for a reduction; 0 for data movement and for heroes.
// `isFollowed`: the operation is a prefix scan that a traversal follows, which combines one element
// per result.
double flopsPerEvaluation(mlir::Operation *op, bool isFollowed = false);

// A dot or convolution: [batch, m, k] by [batch, k, n].
struct ContractionShape {
  int64_t batch = 1, m = 1, n = 1, k = 1;
};
ContractionShape contractionShape(mlir::Operation *op);

// Counts result elements times contracted elements, including padding and dilation: the MACs of a
// machine that cannot skip them.
int64_t denseMultiplyAdds(mlir::Operation *op);
// Counts multiply-adds without those on a convolution's padding or dilation.
int64_t multiplyAdds(mlir::Operation *op);

// Counts the combined elements inside the operand, over all results of a reduce_window.
int64_t windowTerms(mlir::Operation *op, bool isFollowed = false);

// Returns the FLOPs of a whole sort, top_k, scatter, select_and_scatter or fft: comparisons as n
// log2 n; updates and window positions once each, times the operations of their bodies; a Fourier
// transform as 5 n log2 n, half of it if the operand or the result is real.
int64_t heroFlops(mlir::Operation *op);

} // namespace drumlin
