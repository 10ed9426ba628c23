// The ledger as LLVM's optimization remarks, which existing viewers show beside the source.
#pragma once

#include "drumlin/transforms/Ledger.h"

#include <string>
#include <vector>

namespace drumlin::cli {

// In YAML, a remark for each entry, in their order: `Passed` where a rule was taken, `Missed` where
// it was declined, `Analysis` where a rule leaves no choice. The phase is the pass, the rule the
// remark's name; the function is `main`, in which programs are compiled as a whole.
std::string remarksOf(const std::vector<LedgerEntry> &entries);

} // namespace drumlin::cli
