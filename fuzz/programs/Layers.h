// Programs of one matrix product with the operations around it in layers of models, or with
// operations that only resemble them: for plans of library calls, which random programs seldom
// have.
#pragma once

#include <cstdint>
#include <string>

namespace drumlin::fuzz {

// Returns a program with one matrix product. The seed decides its steps and their order, and always
// gives the same program.
std::string layerText(uint64_t seed);

} // namespace drumlin::fuzz
