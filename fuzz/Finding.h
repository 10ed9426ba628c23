// How every fuzz target ends where what it holds its input to doesn't hold.
#pragma once

#include <string>

namespace drumlin::fuzz {

[[noreturn]] void fail(const char *what, const std::string &details);

} // namespace drumlin::fuzz

// What a target defines; libFuzzer calls it.
extern "C" int LLVMFuzzerTestOneInput(const unsigned char *data, size_t size);
