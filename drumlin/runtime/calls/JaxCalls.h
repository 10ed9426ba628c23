// The custom calls of JAX's own, which need no library: solutions of tridiagonal systems that may
// be singular, and products with sparse matrices.
#pragma once

#include "drumlin/runtime/calls/HostRun.h"

namespace drumlin {

// `tridiagonal_solve_perturbed_ffi` (TridiagonalSolve.cpp): (lower diagonal, diagonal, upper
// diagonal [n], b [n, k]) -> x [n, k]. Pivots that are zero or almost so are moved away from it, so
// that x is finite.
Status solveTridiagonal(const HostCall &call, HostBuffers operands, HostBuffers results,
                        const HostRun &run);

// `cpu_csr_sparse_dense_ffi` (SparseProduct.cpp): (elements [e], where rows begin in them [m + 1],
// their columns [e], matrix [n, k] or vector [n]) -> product [m, k] or [m].
Status multiplySparse(const HostCall &call, HostBuffers operands, HostBuffers results,
                      const HostRun &run);

} // namespace drumlin
