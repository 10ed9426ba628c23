// Folds fusions: each becomes one line that says what it computes.
#pragma once

#include "drumlin/listing/Listing.h"

namespace drumlin::listing {

// Writes expressions for HLO's fusions, launches and kernels of plans, and calls of private
// functions that are called once and neither call nor loop; what they call is marked as folded.
void fold(Module &module);

} // namespace drumlin::listing
