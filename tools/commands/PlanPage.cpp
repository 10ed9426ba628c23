#include "commands/PlanPage.h"

#include "drumlin/driver/Phases.h"
#include "drumlin/ir/costs/CostText.h"
#include "drumlin/ir/plan/KernelOp.h"
#include "drumlin/ir/plan/Origin.h"
#include "drumlin/listing/program/ProgramListing.h"
#include "drumlin/support/diagnostics/ImageErrors.h"
#include "mlir/Parser/Parser.h"

#include <map>
#include <set>

namespace drumlin::cli {

namespace {
class PlanNotes {
public:
  PlanNotes(const PlanCost &costs, const PlanDecisions &known) : decisions(known.entries) {
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
    if (known.lock && known.lock->kernels.size() == costs.launches.size()) {
      addOperationsOf(*known.lock, costs);
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
  // Finds the numbers of the program operations that a lock lists. They are looked up by name and
  // source in the ledger entries that are about a single operation.
  void addOperationsOf(const PlanLock &lock, const PlanCost &costs) {
    std::map<std::string, std::set<int64_t>> originsOf;
    for (const LedgerEntry &entry : decisions) {
      if (entry.origins.size() == 1) {
        originsOf[entry.operation + " " + entry.source].insert(entry.origins.front());
      }
    }
    for (size_t i = 0; i < costs.launches.size(); ++i) {
      std::set<int64_t> &origins = lockedOrigins[costs.launches[i].op];
      for (const std::string &operation : lock.kernels[i].operations) {
        const std::set<int64_t> &found = originsOf[operation];
        origins.insert(found.begin(), found.end());
      }
    }
  }

  std::set<int64_t> originsOf(mlir::Operation *op) const {
    auto locked = lockedOrigins.find(op);
    if (locked != lockedOrigins.end()) {
      return locked->second;
    }
    llvm::SmallVector<int64_t> origins = plan::originsOf(op->getLoc());
    return {origins.begin(), origins.end()};
  }

  // Adds decisions in the order of the ledger.
  void addDecisions(mlir::Operation *op, std::vector<listing::Attribute> &notes) const {
    std::set<size_t> about;
    for (int64_t origin : originsOf(op)) {
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

  static constexpr size_t maxDecisions = 40; // the most that a page lists for one operation

  const std::vector<LedgerEntry> &decisions;
  std::map<mlir::Operation *, const LaunchCost *> launches;
  std::map<int64_t, std::vector<size_t>> byOrigin;
  std::map<mlir::Operation *, std::set<int64_t>> lockedOrigins;
};
} // namespace

listing::Module listWithNotes(mlir::ModuleOp module, const std::string &fileName,
                              const PlanDecisions &decisions) {
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

listing::Module listForEngine(mlir::ModuleOp module, const EnginePlan &plan) {
  PlanCost noLaunches;
  PlanDecisions decisions{plan.phases.ledger.entries(), {}};
  PlanNotes notes(noLaunches, decisions);
  std::map<mlir::Operation *, const EngineOperation *> operations;
  for (const EngineOperation &operation : plan.cost.operations) {
    operations[operation.op] = &operation;
  }
  return listing::listProgram(module, "", [&](mlir::Operation *op) {
    std::vector<listing::Attribute> all;
    if (auto found = operations.find(op); found != operations.end()) {
      all.push_back({"cost", flopsText(*found->second)});
      for (std::string &operand : operandTexts(*found->second)) {
        all.push_back({"operand", std::move(operand)});
      }
    }
    for (listing::Attribute &note : notes.of(op)) {
      all.push_back(std::move(note));
    }
    return all;
  });
}

Result<listing::Module> listImage(const ImageDescription &image, const std::string &path) {
  mlir::MLIRContext context(programDialects(), mlir::MLIRContext::Threading::DISABLED);
  auto module = mlir::parseSourceString<mlir::ModuleOp>(image.plan, &context);
  if (!module) {
    return diagnose(errors::ImageMetadataCorrupt, "the image's plan can't be read", path);
  }
  Ledger ledger;
  if (!ledger.restore(image.ledger)) {
    return diagnose(errors::ImageMetadataCorrupt, "the image's ledger can't be read", path);
  }
  PlanDecisions decisions{ledger.entries(), {}};
  if (!image.lock.empty()) {
    Result<PlanLock> lock = parseLock(image.lock, path);
    if (!lock) {
      return lock.error();
    }
    decisions.lock = std::move(*lock);
  }
  // The parser gives a text without a file the name `-`.
  return listWithNotes(*module, "-", decisions);
}

} // namespace drumlin::cli
