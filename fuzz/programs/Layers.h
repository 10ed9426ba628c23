// Matrix products with what stands in front of and behind them in layers of models, and with what
// merely looks like it: for plans of library calls, which random programs seldom have.
#pragma once

#include <cstdint>
#include <string>

namespace drumlin::fuzz {

// A program with one product, whose seed says which steps it has and in what order; the same
// forever.
std::string layerText(uint64_t seed);

} // namespace drumlin::fuzz
