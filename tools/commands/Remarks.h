// Prints the ledger as LLVM optimization remarks, which existing viewers show beside the source.
#pragma once

#include "drumlin/transforms/Ledger.h"

#include <string>
#include <vector>

namespace drumlin::cli {

// Returns YAML with one remark per entry, in order: `Passed` if a rule was taken, `Missed` if it
// was declined, `Analysis` if the rule leaves no choice. The remark's pass is the entry's phase,
// and its name is the entry's rule. The function is always `main`, since programs are compiled as a
// whole.
std::string remarksOf(const std::vector<LedgerEntry> &entries);

} // namespace drumlin::cli
