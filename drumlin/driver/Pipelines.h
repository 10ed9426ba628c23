// The passes of each phase, in order, with the checks of what they guarantee.
#pragma once

#include "drumlin/driver/CompileBudget.h"
#include "drumlin/driver/Options.h"
#include "drumlin/driver/backend/BackendChoice.h"
#include "drumlin/ir/costs/ProgramCost.h"
#include "drumlin/transforms/Contracts.h"
#include "drumlin/transforms/Ledger.h"
#include "mlir/IR/BuiltinOps.h"
#include "mlir/Pass/PassManager.h"

#include <functional>
#include <optional>
#include <string>
#include <vector>

namespace drumlin {

// Adds passes with the check of all contracts that hold after each.
class PipelineBuilder {
public:
  PipelineBuilder(mlir::PassManager &passes, std::vector<const Contract *> &holding,
                  const CompileOptions &options)
      : backend(backendOf(*options.target)), passes(passes), holding(holding), options(options),
        checks(options.verifyContracts) {}

  const std::unique_ptr<const Backend> backend;
  // Takes what kernels cost; null where that isn't wanted.
  KernelCosts *kernelCosts = nullptr;
  // Whether a module's kernels keep what the user requires of them.
  std::function<bool(mlir::ModuleOp)> keepsRequirements;
  // Why a pass failed, where that is the program's or the user's fault.
  std::optional<Diagnostic> failure;

  template <typename Root = mlir::ModuleOp> void add(std::unique_ptr<mlir::Pass> pass) {
    std::string flag = pass->getArgument().str();
    names.push_back(flag);
    if (isDisabled(flag)) {
      // The program may satisfy the pass's contracts without it.
      checks = true;
    } else if constexpr (std::is_same_v<Root, mlir::ModuleOp>) {
      passes.addPass(std::move(pass));
    } else {
      passes.addNestedPass<Root>(std::move(pass));
    }
    for (const Contract &contract : allContracts()) {
      if (contract.guaranteedBy == flag) {
        holding.push_back(&contract);
      }
    }
    // Later passes take for granted what one that is left out would have guaranteed.
    if (options.checksEachPass() || isDisabled(flag)) {
      checkContracts();
    }
    if (options.budget) {
      passes.addPass(createBudgetCheck(*options.budget, "pass `" + flag + "`", failure));
    }
  }

  // Adds a check of the contracts that the passes so far guarantee.
  void checkContracts() {
    if (checks && !holding.empty() && !names.empty()) {
      passes.addPass(createContractCheck(holding, names.back()));
    }
  }

  const std::vector<std::string> &passNames() const { return names; }
  const CompileOptions &compileOptions() const { return options; }

private:
  bool isDisabled(const std::string &flag) const {
    return llvm::is_contained(options.disabledPasses, flag);
  }

  mlir::PassManager &passes;
  std::vector<const Contract *> &holding;
  const CompileOptions &options;
  bool checks;
  std::vector<std::string> names;
};

struct Phase {
  std::string name;
  void (*build)(PipelineBuilder &, Ledger &);
};

// In the order in which they run.
const std::vector<Phase> &phases();

// Phase simplify up to the roundings that the user allows.
void buildRounding(PipelineBuilder &pipeline, Ledger &ledger, bool marksRoundings);

} // namespace drumlin
