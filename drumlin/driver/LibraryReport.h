// Reports which of a program's matrix products become library calls on a GPU: the report of
// `drumlin plan --target sm_90`. See docs/library-calls.md.
#pragma once

#include "drumlin/driver/Options.h"
#include "drumlin/support/Diagnostics.h"
#include "drumlin/transforms/libraries/LibraryPlan.h"

namespace drumlin {

// Runs the phases up to `select` on the module, and lists its matrix products. Fails like
// runPhases(), and with KernelChoiceUnfit if the user forced a library call for a product that no
// library call computes.
Result<std::vector<LibraryKernel>> libraryPlan(mlir::ModuleOp module, const GpuTarget &target,
                                               const CompileOptions &options);

std::string libraryText(const std::vector<LibraryKernel> &kernels, const GpuTarget &target);
std::string libraryJson(const std::vector<LibraryKernel> &kernels, const GpuTarget &target);

} // namespace drumlin
