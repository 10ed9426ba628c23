// For each plan.gemm of an optimized program the library call that computes it on a GPU, with every
// argument; or why it has to be a kernel of our own. docs/library-calls.md.
#pragma once

#include "drumlin/target/LibraryCall.h"
#include "mlir/IR/BuiltinOps.h"

namespace drumlin {

struct LibraryKernel {
  std::string source;               // of the dot
  std::string shape;                // `f8E4M3FN [32, 64] x f8E4M3FN [64, 128] -> bf16`
  std::vector<std::string> inputs;  // what each input of the kernel is: `argument 0`
  std::string forced;               // the kernel that the user named for it; empty: none
  std::vector<std::string> outputs; // types of its outputs
  std::optional<LibraryCall> call;
  // Without a call:
  LibraryLimit limit = LibraryLimit::Layout;
  std::string detail;
  std::string_view manual; // page and section
};

// The kernels of a module whose kernels aren't outlined yet (phase `layout`), in program order.
std::vector<LibraryKernel> planLibraryCalls(mlir::ModuleOp module, const GpuTarget &target);

} // namespace drumlin
