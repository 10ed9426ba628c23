// The memory that kernels take for their results is bounded by the caller.
#pragma once

#include "drumlin/support/Diagnostics.h"
#include "drumlin/support/Tensor.h"

#include <span>
#include <vector>

namespace drumlin::interpreter {

struct KernelOptions {
  // The most bytes that one kernel may take for its results and its working memory, each.
  int64_t maxBytes = int64_t{1} << 34;
  // Sums of floating-point numbers of at most 32 bits inside one reduction, and sums of products,
  // are accumulated in double and rounded once at the end. Without it every partial sum is rounded
  // to the type that the reduction's body computes in, and every product and partial sum to the
  // result's type: the specification's operations, one by one.
  bool wideAccumulation = true;
};

// A zero-filled tensor, or a diagnostic where its size overflows or passes the limit.
Result<Tensor> allocate(ElementType type, Shape shape, const KernelOptions &options);

// Whether `elements` values of `bytesEach` may be taken as working memory.
Status checkWorkspace(int64_t elements, int64_t bytesEach, const KernelOptions &options);

// `operation` isn't defined for elements of `type`.
Diagnostic unsupportedElementType(const char *operation, ElementType type);

} // namespace drumlin::interpreter
