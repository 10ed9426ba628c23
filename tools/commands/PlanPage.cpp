#include "commands/PlanPage.h"

#include "drumlin/ir/plan/CostText.h"
#include "drumlin/ir/plan/Origin.h"
#include "drumlin/listing/program/ProgramListing.h"

#include <map>
#include <set>

namespace drumlin::cli {

namespace {
class PlanNotes {
public:
  PlanNotes(const PlanCost &costs, const std::vector<LedgerEntry> &decisions)
      : decisions(decisions) {
    for (const LaunchCost &launch : costs.launches) {
      launches[launch.op] = &launch;
    }
    for (size_t i = 0; i < decisions.size(); ++i) {
      const RuleInfo *rule = findRule(decisions[i].rule);
      if (rule && rule->kind == RuleKind::Counts) {
        continue;
      }
      for (int64_t origin : decisions[i].origins) {
        byOrigin[origin].push_back(i);
      }
    }
  }

  std::vector<listing::Attribute> of(mlir::Operation *op) const {
    std::vector<listing::Attribute> notes;
    auto launch = launches.find(op);
    if (launch != launches.end()) {
      notes.push_back({"cost", costText(launch->second->cost)});
      if (launch->second->calls != 1) {
        notes.push_back({"calls", std::to_string(launch->second->calls)});
      }
    }
    if (!op->hasTrait<mlir::OpTrait::IsTerminator>()) {
      addDecisions(op, notes);
    }
    return notes;
  }

private:
  // In the order of the ledger.
  void addDecisions(mlir::Operation *op, std::vector<listing::Attribute> &notes) const {
    std::set<size_t> about;
    for (int64_t origin : plan::originsOf(op->getLoc())) {
      auto found = byOrigin.find(origin);
      if (found != byOrigin.end()) {
        about.insert(found->second.begin(), found->second.end());
      }
    }
    size_t shown = 0;
    for (size_t i : about) {
      if (shown++ == maxDecisions) {
        notes.push_back({"decisions", std::to_string(about.size()) + " in all: see `drumlin why`"});
        return;
      }
      const LedgerEntry &entry = decisions[i];
      notes.push_back(
          {entry.rule, entry.operation + " " + entry.source + ": " + Ledger::outcome(entry)});
    }
  }

  static constexpr size_t maxDecisions = 40; // of one operation, which people would still read

  const std::vector<LedgerEntry> &decisions;
  std::map<mlir::Operation *, const LaunchCost *> launches;
  std::map<int64_t, std::vector<size_t>> byOrigin;
};
} // namespace

listing::Module listWithNotes(mlir::ModuleOp module, const std::string &fileName,
                              const std::vector<LedgerEntry> &decisions) {
  if (module.getOps<plan::KernelOp>().empty()) {
    return listing::listProgram(module, fileName);
  }
  PlanCost costs = planCost(module);
  PlanNotes notes(costs, decisions);
  listing::Module listed =
      listing::listProgram(module, fileName, [&](mlir::Operation *op) { return notes.of(op); });
  static constexpr size_t maxHolders = 8;
  listed.attributes.push_back({"cost", costText(costs.total)});
  listed.attributes.push_back({"memory", memoryText(costs.memory, maxHolders)});
  return listed;
}

} // namespace drumlin::cli
