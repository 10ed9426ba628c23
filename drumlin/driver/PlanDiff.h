// What two plans of one program do differently.
#pragma once

#include "drumlin/driver/PlanLock.h"

namespace drumlin {

struct PlanDifference {
  std::string what; // `fusion lost`, `fusion won`, `part lost`, `part won`, `kernel gone`,
                    // `kernel new`, `types`, `layouts`, `copies`, `kernels`, `flops`, `bytes`,
                    // `arena`, `target`
  std::string text; // one line
  bool isWorse = false;
};

// Operations are compared by name and source, those of one name and source by their order. A fusion
// is lost where operations that one kernel computed are computed by several now. FLOPs, bytes and
// the arena differ where they grow or shrink by more than `tolerance` (a share).
std::vector<PlanDifference> comparePlans(const PlanLock &before, const PlanLock &after,
                                         double tolerance = 0);

} // namespace drumlin
