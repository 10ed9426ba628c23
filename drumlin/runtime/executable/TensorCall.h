// Runs images with tensors instead of pointers.
#pragma once

#include "drumlin/runtime/executable/Executable.h"

namespace drumlin {

// Runs the program on row-major tensors, after checking their types and shapes. Fails as
// Executable::run() does.
Result<std::vector<Tensor>> call(Executable &executable, std::span<const Tensor> args);

// Runs all processes of the image's grid, each with its own arguments. Fails as
// Executable::runProcesses() does.
Result<std::vector<std::vector<Tensor>>> callProcesses(Executable &executable,
                                                       std::span<const std::vector<Tensor>> args);

} // namespace drumlin
