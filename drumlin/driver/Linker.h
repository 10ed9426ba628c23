// Links objects into a sealed image, with lld as a library.
#pragma once

#include "drumlin/support/Diagnostics.h"

#include <string>
#include <vector>

namespace drumlin {

// Links ELF objects (their bytes) into a shared object whose only exported symbol is
// `drumlin_image`, and appends the seal. Writes nothing to disk. Concurrent calls wait for each
// other, since lld has global state. Fails with InternalError or OutOfMemory.
Result<std::string> linkImage(const std::vector<std::string> &objects);

// Returns the linker's name and version: `Debian LLD 22.1.8`.
std::string linkerVersion();

} // namespace drumlin
