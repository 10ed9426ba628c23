#include "drumlin/transforms/requirements/NearestDecisions.h"

#include "drumlin/transforms/Reasons.h"
#include "drumlin/transforms/Rules.h"

#include "llvm/ADT/SetVector.h"

#include <map>
#include <vector>

namespace drumlin {

std::string nearestDecisions(int64_t origin, std::span<const plan::ProgramOperation> operations,
                             const Ledger &ledger) {
  constexpr size_t most = 3;
  std::map<int64_t, std::vector<const LedgerEntry *>> explaining;
  std::vector<LedgerEntry> entries = ledger.entries();
  for (const LedgerEntry &entry : entries) {
    for (int64_t about : entry.origins) {
      // If a rule split the kernel, its ledger entry says why the complete kernel is no library
      // call.
      bool cuts = entry.rule == info(Rule::SplitProduct).name && entry.reason == Reason::Taken;
      if (cuts) {
        explaining[about].insert(explaining[about].begin(), &entry);
      } else if (entry.reason != Reason::Taken && !entry.remedy.empty()) {
        explaining[about].push_back(&entry);
      }
    }
  }
  std::vector<std::vector<int64_t>> neighbours(operations.size());
  for (size_t i = 0; i < operations.size(); ++i) {
    for (int64_t operand : operations[i].operands) {
      neighbours[i].push_back(operand);
      neighbours[static_cast<size_t>(operand)].push_back(static_cast<int64_t>(i));
    }
  }
  llvm::SetVector<int64_t> reached;
  llvm::SetVector<const LedgerEntry *> found;
  reached.insert(origin);
  for (size_t i = 0; i < reached.size() && found.size() < most; ++i) {
    for (const LedgerEntry *entry : explaining[reached[i]]) {
      found.insert(entry);
    }
    const std::vector<int64_t> &next = neighbours[static_cast<size_t>(reached[i])];
    reached.insert(next.begin(), next.end());
  }
  std::string text;
  for (const LedgerEntry *entry : found.getArrayRef().take_front(most)) {
    text += "\n  " + Ledger::text(*entry);
  }
  return text;
}

} // namespace drumlin
