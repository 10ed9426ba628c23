// Results of bounded sizes: arrays in which only the first elements of some dimensions are valid,
// as counted by other results of the program.
#pragma once

#include "drumlin/support/Tensor.h"

#include <span>
#include <vector>

namespace drumlin {

// For each dimension of a result, the index of the result that counts the dimension's valid
// elements, or -1 if all elements are valid. Empty if all elements of every dimension are valid.
using CountedBy = std::vector<int64_t>;

// Returns the valid elements of each result, without the results that hold the counts.
std::vector<Tensor> countedResults(std::vector<Tensor> results,
                                   std::span<const CountedBy> countedBy);

} // namespace drumlin
