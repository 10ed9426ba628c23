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
  // Accumulates sums of floating-point numbers of at most 32 bits inside a reduction, and dot
  // products, in double and rounds once at the end. If false, every partial sum is rounded to the
  // type that the reduction's body computes in, and every product and partial sum of a dot to the
  // result's type: one specification operation at a time.
  bool wideAccumulation = true;
};

// Returns a zero-filled tensor; fails if its size overflows or exceeds the limit.
Result<Tensor> allocate(ElementType type, Shape shape, const KernelOptions &options);

// Checks that `elements` values of `bytesEach` bytes are within the limit for working memory.
Status checkWorkspace(int64_t elements, int64_t bytesEach, const KernelOptions &options);

// Returns the error that `operation` isn't defined for elements of `type`.
Diagnostic unsupportedElementType(const char *operation, ElementType type);

} // namespace drumlin::interpreter
