// Which library calls a program's matrix products are on a GPU: the report of `drumlin plan
// --target sm_90`. docs/library-calls.md.
#pragma once

#include "drumlin/driver/Options.h"
#include "drumlin/support/Diagnostics.h"
#include "drumlin/transforms/libraries/LibraryPlan.h"

namespace drumlin {

// Runs the phases up to layout on the module, and plans a call for each of its matrix products.
// Fails with UnknownArgument where a static argument isn't one of the program's, and as phases do.
Result<std::vector<LibraryKernel>> libraryPlan(mlir::ModuleOp module, const GpuTarget &target,
                                               const CompileOptions &options,
                                               const std::vector<int64_t> &staticArguments);

std::string libraryText(const std::vector<LibraryKernel> &kernels, const GpuTarget &target);
std::string libraryJson(const std::vector<LibraryKernel> &kernels, const GpuTarget &target);

} // namespace drumlin
