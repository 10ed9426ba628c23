// The identity of the code that runs: the hash that the linker has made of the whole program, or
// shared library, that this is linked into. Equal ones are equal code, whatever files it was
// compiled from.
#pragma once

#include <string>

namespace drumlin {

// In lower-case hexadecimal digits. Empty where the linker was told to write none.
const std::string &buildId();

} // namespace drumlin
