// Builds the pass pipeline of each phase, with the checks of the passes' contracts.
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

// Adds passes, each followed by a check of all contracts that hold after it.
class PipelineBuilder {
public:
  PipelineBuilder(mlir::PassManager &passes, std::vector<const Contract *> &holding,
                  const CompileOptions &options)
      : backend(backendOf(*options.target)), passes(passes), holding(holding), options(options),
        checks(options.verifyContracts) {}

  const std::unique_ptr<const Backend> backend;
  // Receives the kernels' costs; null if they aren't needed.
  KernelCosts *kernelCosts = nullptr;
  // Returns whether a module's kernels satisfy the user's requirements.
  std::function<bool(mlir::ModuleOp)> keepsRequirements;
  // The diagnostic of a failed pass, if the failure is the program's or the user's fault.
  std::optional<Diagnostic> failure;

  template <typename Root = mlir::ModuleOp> void add(std::unique_ptr<mlir::Pass> pass) {
    std::string flag = pass->getArgument().str();
    names.push_back(flag);
    if (isDisabled(flag)) {
      // Without the disabled pass, the program may still satisfy the contracts that the pass
      // guarantees. This is checked.
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
    // Later passes rely on what a disabled pass would have guaranteed.
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

// Returns the phases in the order in which they run.
const std::vector<Phase> &phases();

// Builds phase `simplify` up to the roundings that the user allows.
void buildRounding(PipelineBuilder &pipeline, Ledger &ledger, bool marksRoundings);

} // namespace drumlin
