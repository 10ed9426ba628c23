// Runs images for foreign architectures by a command, for example an emulator with
// examples/c/run_image.c.
#pragma once

#include "drumlin/driver/Compiler.h"

#include <string>
#include <vector>

namespace drumlin {

// `command`: words with spaces between; the paths of the image, the arguments' bytes and the
// results' bytes, and the number of threads follow. Fails with ProgramFailed if the command fails.
Result<std::vector<Tensor>> runElsewhere(const std::string &command, const Compilation &compiled,
                                         const std::vector<Tensor> &arguments, unsigned threads);

} // namespace drumlin
