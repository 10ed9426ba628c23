// The matrix products of a GPU's plan: library calls with every argument, or why they have to be
// kernels of our own. docs/library-calls.md.
#pragma once

#include "drumlin/ir/plan/LibraryCalls.h"
#include "mlir/IR/BuiltinOps.h"

namespace drumlin {

struct LibraryKernel {
  std::string source;               // of the dot
  std::string shape;                // `f8E4M3FN [32, 64] x f8E4M3FN [64, 128] -> bf16`
  std::vector<std::string> inputs;  // what each input of the kernel is: `argument 0`
  std::string forced;               // the kernel that the user named for it; empty: none
  std::vector<std::string> outputs; // their types, and which kernel reads them
  std::optional<LibraryCall> call;
  plan::OwnKernelReason own; // without a call
};

// The matrix products of a module after the phase `select`, in program order.
std::vector<LibraryKernel> libraryKernels(mlir::ModuleOp module, const GpuTarget &target);

} // namespace drumlin
