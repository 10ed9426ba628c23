// What a kernel does besides its hero, in the words that people use for it: found in the kernel's
// region, whatever the program's spelling was.
#pragma once

#include "drumlin/ir/plan/PlanDialect.h"

#include <string>
#include <vector>

namespace drumlin {

// One thing that is computed inside the kernel. Of operands (`_lhs`, `_rhs`): `convert`,
// `scale`. Of the result: `bias` (fewer elements than the result), `residual`, `scale`, `gate` (a
// factor for each element), the functions that recognizeFunction() knows, `clamp`, `convert`,
// `amax`, `transpose`; `pointwise` is what has no name.
struct KernelPart {
  std::string name;
  mlir::Operation *op; // the last operation of those that compute it
  mlir::Value from;    // behind the hero: what it is computed from; of an operand's null
};

// The parts of a kernel-forming operation that has a dot or convolution, in program order: those of
// the operands first. Empty for other kernels.
std::vector<KernelPart> kernelParts(mlir::Operation *kernel);

// The names of what a library's call does besides its product, by its arguments: an activation or
// its derivative, `bias`, `bias_grad`, `amax`.
std::vector<std::string> callParts(plan::LibraryCallOp call);

// What leads from the hero to the kernel's results, without a gap: each begins with the value that
// the last one ended with. Beside parts these are `data movement` (says only where elements lie)
// and `identity` (the same numbers, up to roundings). Reductions stand at the end.
std::vector<KernelPart> epilogueSegments(mlir::Operation *kernel);

} // namespace drumlin
