// `--force-kernel OP=KERNEL`: kernels that the user names for dots and convolutions.
#pragma once

#include "drumlin/support/Diagnostics.h"
#include "drumlin/target/LibraryCall.h"
#include "mlir/IR/BuiltinOps.h"

#include <span>
#include <string>

namespace drumlin {

// Marks the kernels whose dot or convolution a choice such as `dot@*mlp*=packed` is about, on a
// module after the phase `fusion`. The last choice that matches holds. KernelChoiceInvalid: the
// text is no choice, the target has no such kernel, or no operation matches.
Status forceKernels(mlir::ModuleOp module, std::span<const std::string> choices,
                    const GpuTarget *gpu);

} // namespace drumlin
