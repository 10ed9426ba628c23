// What two plans of one program do differently.
#pragma once

#include "drumlin/driver/PlanLock.h"

#include <variant>

namespace drumlin {

// A count, a word, or words: names of kernels, parts and types, each as often as it is there.
using PlanValue = std::variant<int64_t, std::string, std::vector<std::string>>;

struct PlanDifference {
  std::string kind;   // `fusion lost`, `fusion won`, `part lost`, `part won`, `kernel gone`,
                      // `kernel new`, `types`, `layouts`, `copies`, `kernels`, `flops`, `bytes`,
                      // `arena`, `target`
  std::string kernel; // by the operation that people know it by; empty for the whole plan
  std::string field;  // what differs: `kernels`, `parts`, `inputs`, `outputs`, or as the kind
  // Of lists, what only this side has; of a fusion, the kernels that compute the same operations.
  PlanValue before, after;
  bool isWorse = false;

  // One line, without kind.
  std::string text() const;
};

// Operations are compared by name and source, those of one name and source by their order. A fusion
// is lost where operations that one kernel computed are computed by several now. FLOPs, bytes and
// the arena differ where they grow or shrink by more than `tolerance` (a share).
std::vector<PlanDifference> comparePlans(const PlanLock &before, const PlanLock &after,
                                         double tolerance = 0);

// An array of the differences with all of their fields.
std::string planDiffJson(const std::vector<PlanDifference> &differences);

} // namespace drumlin
