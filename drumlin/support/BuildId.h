// The identity of the running code: the linker's hash of the program or shared library that
// contains this function. Equal hashes mean equal code.
#pragma once

#include <string>

namespace drumlin {

// Returns the hash in lower-case hexadecimal digits; empty if the linker wrote none.
const std::string &buildId();

} // namespace drumlin
