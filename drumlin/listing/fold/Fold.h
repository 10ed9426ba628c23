// Folds fusions: each becomes one line that says what it computes.
#pragma once

#include "drumlin/listing/Listing.h"

namespace drumlin::listing {

// Writes expressions for HLO's fusions, launches and kernels of plans, calls of private functions
// that are called once and neither call nor loop, and calls of GEMM libraries; what an expression
// says whole is marked as folded. Functions that only reductions, scatters and sorts apply are
// called by what they do, or all by the first of equal ones. Configurations lose what says nothing.
void fold(Module &module);

} // namespace drumlin::listing
