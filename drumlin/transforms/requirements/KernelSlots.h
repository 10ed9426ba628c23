// What a kernel does besides its hero, in the words that people use for it: found in the kernel's
// region, whatever the program's spelling was.
#pragma once

#include "mlir/IR/Operation.h"

#include <string>
#include <vector>

namespace drumlin {

// One thing that is computed inside the kernel. Of operands (`_lhs`, `_rhs`): `convert`,
// `scale`. Of the result: `bias` (fewer elements than the result), `residual`, `scale`, `gate` (a
// factor for each element), the functions that recognizeFunction() knows, `clamp`, `convert`,
// `amax`, `transpose`; `pointwise` is what has no name.
struct KernelSlot {
  std::string name;
  mlir::Operation *op; // the last operation of those that compute it
};

// The slots of a kernel-forming operation that has a dot or convolution, in program order: those of
// the operands first. Empty for other kernels.
std::vector<KernelSlot> kernelSlots(mlir::Operation *kernel);

} // namespace drumlin
