// Decompositions and systems of equations, for each matrix of a batch (the innermost two
// dimensions). Source: StableHLO specification. Computed in long double; each element is rounded
// once at the end.
#pragma once

#include "drumlin/interpreter/kernels/Allocation.h"

namespace drumlin::interpreter {

// Returns the factor L of a = L L^H, or U of a = U^H U if `lower` is false. Reads one triangle of
// `a`; the result's other triangle is zero. A matrix that isn't positive definite gives NaN
// everywhere.
Result<Tensor> cholesky(const Tensor &a, bool lower, const KernelOptions &options);

enum class MatrixTranspose : uint8_t { None, Transpose, Adjoint };

// Solves op(a) x = b, or x op(a) = b if `leftSide` is false. Reads one triangle of `a`. If
// `unitDiagonal` is set, the diagonal is not read and counts as ones.
Result<Tensor> triangularSolve(const Tensor &a, const Tensor &b, bool leftSide, bool lower,
                               bool unitDiagonal, MatrixTranspose transpose,
                               const KernelOptions &options);

} // namespace drumlin::interpreter
