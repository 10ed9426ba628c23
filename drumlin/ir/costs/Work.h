// The arithmetic of one operation, as costs count it (drumlin/support/Cost.h).
#pragma once

#include "mlir/IR/Operation.h"

#include <cstdint>

namespace drumlin {

// Whether the operation converts a float to a float type of more bits.
bool isUpcast(mlir::Operation *op);

// Returns the FLOPs of one evaluation of one result element: one for a pointwise operation; for a
// reduction, one per combined element and operation of the body; 0 for data movement and for
// heroes. `isFollowed`: the operation is a prefix scan that a traversal follows, which combines one
// element per result.
double flopsPerEvaluation(mlir::Operation *op, bool isFollowed = false);

// A dot or convolution: [batch, m, k] by [batch, k, n].
struct ContractionShape {
  int64_t batch = 1, m = 1, n = 1, k = 1;
};
ContractionShape contractionShape(mlir::Operation *op);

// Counts the MACs of a dot or convolution on a machine that cannot skip padding or the gaps of
// dilation: the number of result elements times the number of contracted elements.
int64_t denseMultiplyAdds(mlir::Operation *op);
// Counts the MACs of a dot or convolution, except MACs with a convolution's padding or with the
// gaps of its dilation.
int64_t multiplyAdds(mlir::Operation *op);

// Counts the elements inside the operand that a reduce_window combines, over all of its results.
int64_t windowTerms(mlir::Operation *op, bool isFollowed = false);

// Returns the FLOPs of a complete sort, top_k, scatter, select_and_scatter or fft. A sort of n
// elements counts n log2 n comparisons. In a scatter, each update counts the operations of the
// body. In a select_and_scatter, each window position counts the operations of `select`, and each
// source element those of `scatter`. A Fourier transform counts 5 n log2 n, and half of it if the
// operand or the result is real.
int64_t heroFlops(mlir::Operation *op);

} // namespace drumlin
