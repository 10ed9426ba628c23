// Allocation of kernel results, within a limit that the caller sets.
#pragma once

#include "drumlin/support/Diagnostics.h"
#include "drumlin/support/Tensor.h"

#include <span>
#include <vector>

namespace drumlin::interpreter {

struct KernelOptions {
  // Maximum bytes of one kernel's results, and also of its working memory.
  int64_t maxBytes = int64_t{1} << 34;
  // Accumulates dot products in double and rounds them once at the end; likewise a reduction's sums
  // of floating-point numbers of at most 32 bits, and its products of floating-point numbers of at
  // most 16 bits. If false, each operation of the specification rounds: every partial result of a
  // reduction to the type that its body computes in, and every product and partial sum of a dot to
  // the result's type.
  bool wideAccumulation = true;
};

// Returns a zero-filled tensor; fails if its size overflows or exceeds the limit.
Result<Tensor> allocate(ElementType type, Shape shape, const KernelOptions &options);

// Checks that `elements` values of `bytesEach` bytes are within the limit for working memory.
Status checkWorkspace(int64_t elements, int64_t bytesEach, const KernelOptions &options);

// Returns the error that `operation` isn't defined for elements of `type`.
Diagnostic unsupportedElementType(const char *operation, ElementType type);

} // namespace drumlin::interpreter
