// Results of bounded sizes: arrays of which only the first elements of some dimensions count, as
// other results of the program say.
#pragma once

#include "drumlin/support/Tensor.h"

#include <span>
#include <vector>

namespace drumlin {

// For each dimension of a result the result that counts its elements, -1 where all count; empty
// where all of every dimension do.
using CountedBy = std::vector<int64_t>;

// The elements that count, without the results that count them.
std::vector<Tensor> countedResults(std::vector<Tensor> results,
                                   std::span<const CountedBy> countedBy);

} // namespace drumlin
