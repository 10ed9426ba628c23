// The decisions that are reported with an unmet requirement.
#pragma once

#include "drumlin/ir/plan/Origin.h"
#include "drumlin/transforms/Ledger.h"

#include <span>
#include <string>

namespace drumlin {

// Returns the decisions that separate kernels, about the operations nearest to `origin` in the
// program's graph: declined fusions, and before them cuts of a kernel around a library call. Each
// is on its own line after a line break; empty if there are none.
std::string nearestDecisions(int64_t origin, std::span<const plan::ProgramOperation> operations,
                             const Ledger &ledger);

} // namespace drumlin
