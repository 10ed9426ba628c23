// Programs with one matrix product. The other operations are those around a product in layers of
// models, or only resemble them. These programs test plans of library calls. Random programs seldom
// have such plans.
#pragma once

#include <cstdint>
#include <string>

namespace drumlin::fuzz {

// Returns a program with one matrix product. The seed decides which steps it has and their order; a
// seed always gives the same program.
std::string layerText(uint64_t seed);

} // namespace drumlin::fuzz
