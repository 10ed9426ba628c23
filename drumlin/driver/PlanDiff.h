// Compares two plans of one program.
#pragma once

#include "drumlin/driver/PlanLock.h"

#include <variant>

namespace drumlin {

// A count, a word, or a list of words (names of kernels, parts or types). A list may contain the
// same word several times.
using PlanValue = std::variant<int64_t, std::string, std::vector<std::string>>;

struct PlanDifference {
  std::string kind;   // `fusion lost`, `fusion won`, `part lost`, `part won`, `kernel gone`,
                      // `kernel new`, `types`, `layouts`, `copies`, `kernels`, `flops`, `bytes`,
                      // `arena`, `target`
  std::string kernel; // named after its hero; empty for the whole plan
  std::string field;  // what differs: `kernels`, `parts`, `inputs`, `outputs`, or equal to `kind`
  // The values in the two plans. For lists: the entries that only this plan has. For a fusion: the
  // kernels that compute its operations in this plan.
  PlanValue before, after;
  bool isWorse = false;

  // Returns the difference as one line, without the kind.
  std::string text() const;
};

// Compares two plans. Operations are matched by name and source; operations with the same name and
// source are matched by their order. A fusion is lost if several kernels of `after` compute the
// operations of one kernel of `before`. A change of FLOPs, bytes or arena is reported if it is
// larger than `tolerance` times the value in `before`.
std::vector<PlanDifference> comparePlans(const PlanLock &before, const PlanLock &after,
                                         double tolerance = 0);

// Returns a JSON array of the differences with all of their fields.
std::string planDiffJson(const std::vector<PlanDifference> &differences);

} // namespace drumlin
