// drumlin why: every decision of the compiler, with its reason.
#include "commands/Commands.h"

#include "drumlin/driver/NumericsNotes.h"
#include "drumlin/ir/plan/Origin.h"
#include "llvm/ADT/MapVector.h"
#include "llvm/Support/Regex.h"

#include <cstdio>
#include <set>

namespace drumlin::cli {

struct WhyCommand {
  std::string input, kernel, operation, rule;
  bool json = false, declined = false;
  CompileOptions options;

  Status run() {
    for (auto [option, expression] :
         {std::pair("--kernel", &kernel), std::pair("--operation", &operation)}) {
      std::string problem;
      if (!expression->empty() && !llvm::Regex(*expression).isValid(problem)) {
        return diagnose(DiagnosticCode::FilterInvalid,
                        "`" + *expression + "` is no regular expression: " + problem, option);
      }
    }
    Result<PlannedProgram> planned = planProgram(input, options);
    if (!planned) {
      return planned.error();
    }
    Ledger &ledger = planned->phases.ledger;
    recordNumerics(*planned->program.module, planned->target, ledger);
    std::set<int64_t> inKernels;
    if (!kernel.empty()) {
      inKernels = originsOfKernels(planned->costs());
    }
    std::vector<LedgerEntry> entries = ledger.entries();
    llvm::erase_if(entries, [&](const LedgerEntry &entry) { return !isWanted(entry, inKernels); });
    if (json) {
      std::printf("%s\n", Ledger::json(entries).c_str());
      return Done{};
    }
    for (const LedgerEntry &entry : entries) {
      std::printf("%s\n", Ledger::text(entry).c_str());
    }
    std::printf("%s\n", summary(entries).c_str());
    return Done{};
  }

private:
  // The program operations that kernels of that name were made of.
  std::set<int64_t> originsOfKernels(const PlanCost &costs) const {
    std::set<int64_t> origins;
    for (const LaunchCost &launch : costs.launches) {
      if (llvm::Regex(kernel).match(launch.kernel)) {
        llvm::SmallVector<int64_t> own = plan::originsOf(launch.op);
        origins.insert(own.begin(), own.end());
      }
    }
    return origins;
  }

  bool isWanted(const LedgerEntry &entry, const std::set<int64_t> &inKernels) const {
    if (declined && entry.reason == Reason::Taken) {
      return false;
    }
    if (!rule.empty() && entry.rule != rule) {
      return false;
    }
    llvm::Regex wanted(operation);
    if (!operation.empty() && !wanted.match(entry.operation) && !wanted.match(entry.source)) {
      return false;
    }
    return kernel.empty() || llvm::any_of(entry.origins, [&](int64_t origin) {
             return inKernels.count(origin) != 0;
           });
  }

  // `12 decisions: 9 taken, 3 declined (repeated 2, barrier 1)`
  static std::string summary(const std::vector<LedgerEntry> &entries) {
    std::map<std::string_view, size_t> declinedBy;
    size_t taken = 0;
    for (const LedgerEntry &entry : entries) {
      if (entry.reason == Reason::Taken) {
        ++taken;
      } else {
        ++declinedBy[info(entry.reason).code];
      }
    }
    std::string text =
        std::to_string(entries.size()) + (entries.size() == 1 ? " decision: " : " decisions: ") +
        std::to_string(taken) + " taken, " + std::to_string(entries.size() - taken) + " declined";
    const char *before = " (";
    for (auto [code, count] : declinedBy) {
      text += before + std::string(code) + " " + std::to_string(count);
      before = ", ";
    }
    return text + (declinedBy.empty() ? "" : ")");
  }
};

Command addWhy(CLI::App &app) {
  CLI::App *sub = app.add_subcommand("why", "print every decision with its reason");
  auto command = std::make_shared<WhyCommand>();
  sub->add_option("program", command->input, "a StableHLO program")->required();
  sub->add_flag("--json", command->json, "as JSON");
  sub->add_option("--kernel", command->kernel,
                  "only what is about operations of kernels that match this expression");
  sub->add_option("--operation", command->operation,
                  "only operations whose name or place in the source matches this expression");
  sub->add_option("--rule", command->rule, "only this rule");
  sub->add_flag("--declined", command->declined, "only what was declined");
  addCompileOptions(*sub, command->options);
  return {sub, [command] { return command->run(); }, &command->options};
}

} // namespace drumlin::cli
