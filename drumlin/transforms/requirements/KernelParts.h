// The parts of a kernel besides its hero, with their common names. They are recognized in the
// kernel's region by what they compute, not by how the program wrote them.
#pragma once

#include "drumlin/ir/plan/LibraryCallOp.h"

#include <string>
#include <vector>

namespace drumlin {

// One computation inside the kernel, by name. Parts of an operand, with the suffix `_lhs` or
// `_rhs`: `convert`, `scale`. Parts of the result: `bias` (fewer elements than the result),
// `residual`, `scale`, `gate` (a factor per element), the functions that recognizeFunction() knows,
// `clamp`, `convert`, `amax`, `transpose`, and `pointwise` for anything else.
struct KernelPart {
  std::string name;
  mlir::Operation *op; // the last operation of the computation
  mlir::Value from;    // input of a part after the hero; null for parts of operands
};

// Returns the parts of a kernel with a dot or convolution in program order; the parts of operands
// come first. Returns an empty list for other kernels.
std::vector<KernelPart> kernelParts(mlir::Operation *kernel);

// Returns the names of a library call's parts besides its GEMM, from its arguments: an activation
// or its derivative, `bias`, `bias_grad`, `amax`.
std::vector<std::string> callParts(plan::LibraryCallOp call);

// Returns the parts from the hero to the kernel's results as a chain: each begins with the value
// that the previous one ended with. The chain also has `data movement` (only moves elements) and
// `identity` (equal up to rounding). Reductions come last.
std::vector<KernelPart> epilogueSegments(mlir::Operation *kernel);

} // namespace drumlin
