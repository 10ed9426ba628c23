// The decisions that are reported with an unmet requirement.
#pragma once

#include "drumlin/ir/plan/Origin.h"
#include "drumlin/transforms/Ledger.h"

#include <span>
#include <string>

namespace drumlin {

// Returns the decisions that separate kernels, for the operations nearest to `origin` in the
// program's graph: first cuts of a kernel around a library call, then declined fusions. Each
// decision follows a line break. Returns an empty string if there are none.
std::string nearestDecisions(int64_t origin, std::span<const plan::ProgramOperation> operations,
                             const Ledger &ledger);

} // namespace drumlin
