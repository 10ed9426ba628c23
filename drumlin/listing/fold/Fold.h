// Folds fusions: each becomes one line that describes its computation.
#pragma once

#include "drumlin/listing/Listing.h"

namespace drumlin::listing {

// Sets expressions for HLO's fusions, launches and kernels of plans, calls of libraries, and calls
// of private functions that are called once and have no calls or loops. Computations that an
// expression describes completely are marked as folded. Functions that only reductions, scatters
// and sorts apply are replaced with their operation, or with the first of equal functions. Defaults
// are removed from configurations.
void fold(Module &module);

} // namespace drumlin::listing
