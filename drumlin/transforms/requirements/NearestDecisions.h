// What a requirement that isn't met is told with.
#pragma once

#include "drumlin/ir/plan/Origin.h"
#include "drumlin/transforms/Ledger.h"

#include <span>
#include <string>

namespace drumlin {

// Returns the decisions about the operations that are nearest to one in the program's graph by
// which kernels are apart: those that were declined, and cuts of a kernel around a library's call,
// which come first. Each is on a line of its own behind a line break; empty where there are none.
std::string nearestDecisions(int64_t origin, std::span<const plan::ProgramOperation> operations,
                             const Ledger &ledger);

} // namespace drumlin
