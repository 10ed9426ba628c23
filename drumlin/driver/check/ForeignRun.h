// Runs images for other architectures through a command, for example an emulator that runs
// examples/c/run_image.c.
#pragma once

#include "drumlin/driver/Compiler.h"

#include <string>
#include <vector>

namespace drumlin {

// Runs an image with `command` and returns the results. `command`: words separated by spaces. Four
// words are appended to it: the paths of the image, of the arguments' bytes and of the results'
// bytes, and the number of threads. Fails with ProgramFailed if the command fails.
Result<std::vector<Tensor>> runElsewhere(const std::string &command, const Compilation &compiled,
                                         const std::vector<Tensor> &arguments, unsigned threads);

} // namespace drumlin
