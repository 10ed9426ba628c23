// The common failure exit of all fuzz targets.
#pragma once

#include <string>

namespace drumlin::fuzz {

[[noreturn]] void fail(const char *what, const std::string &details);

} // namespace drumlin::fuzz

// The entry point that each target defines and libFuzzer calls.
extern "C" int LLVMFuzzerTestOneInput(const unsigned char *data, size_t size);
