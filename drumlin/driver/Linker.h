// Objects to a sealed image, by lld as a library.
#pragma once

#include "drumlin/support/Diagnostics.h"

#include <string>
#include <vector>

namespace drumlin {

// Links ELF objects (their bytes) into a shared object whose only exported symbol is
// `drumlin_image`, and appends the seal. Nothing is written to a disk. One link at a time in a
// process: lld keeps state. Fails with InternalError or OutOfMemory.
Result<std::string> linkImage(const std::vector<std::string> &objects);

// Which linker that is: `Debian LLD 22.1.8`.
std::string linkerVersion();

} // namespace drumlin
