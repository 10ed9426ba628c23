// Custom calls of JAX that need no library: solvers for tridiagonal systems that may be singular,
// and products with sparse matrices.
#pragma once

#include "drumlin/runtime/calls/HostRun.h"

namespace drumlin {

// Computes `tridiagonal_solve_perturbed_ffi` (TridiagonalSolve.cpp): (lower diagonal, diagonal,
// upper diagonal [n], b [n, k]) -> x [n, k]. Pivots that are zero or nearly zero are perturbed, so
// that x is finite.
Status solveTridiagonal(const HostCall &call, HostBuffers operands, HostBuffers results,
                        const HostRun &run);

// Computes `cpu_csr_sparse_dense_ffi` (SparseProduct.cpp): (elements [e], row offsets into them [m
// + 1], their columns [e], matrix [n, k] or vector [n]) -> product [m, k] or [m].
Status multiplySparse(const HostCall &call, HostBuffers operands, HostBuffers results,
                      const HostRun &run);

} // namespace drumlin
