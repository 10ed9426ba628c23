// Runs images for other architectures than this process's, by a command: an emulator and
// examples/c/run_image.c, say.
#pragma once

#include "drumlin/driver/Compiler.h"

#include <string>
#include <vector>

namespace drumlin {

// `command`: words with spaces between, behind which the paths of the image, of the arguments' and
// the results' bytes, and the number of threads come. Fails with ProgramFailed where it does.
Result<std::vector<Tensor>> runElsewhere(const std::string &command, const Compilation &compiled,
                                         const std::vector<Tensor> &arguments, unsigned threads);

} // namespace drumlin
