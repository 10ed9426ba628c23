// The GEMMs of a GPU plan: library calls with all arguments, or the reasons why they need generated
// kernels. See docs/library-calls.md.
#pragma once

#include "drumlin/ir/plan/LibraryCalls.h"
#include "mlir/IR/BuiltinOps.h"

namespace drumlin {

struct LibraryKernel {
  std::string source;               // source location of the dot
  std::string shape;                // `f8E4M3FN [32, 64] x f8E4M3FN [64, 128] -> bf16`
  std::vector<std::string> inputs;  // origin of each kernel input, e.g. `argument 0`
  std::string forced;               // kernel that the user forced; empty: none
  std::vector<std::string> outputs; // type of each kernel output, and the kernels that read it
  std::optional<LibraryCall> call;
  plan::OwnKernelReason own; // reason why there is no call
};

// Returns the GEMMs of a module after the phase `select`, in program order.
std::vector<LibraryKernel> libraryKernels(mlir::ModuleOp module, const GpuTarget &target);

} // namespace drumlin
