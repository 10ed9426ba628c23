#include "drumlin/driver/PhaseChecks.h"

#include "drumlin/ir/costs/CostText.h"
#include "drumlin/ir/costs/PeakMemory.h"
#include "drumlin/ir/plan/Entry.h"
#include "drumlin/ir/plan/FusedMultiplyAdd.h"
#include "drumlin/ir/plan/Origin.h"
#include "drumlin/ir/plan/gemm/GemmSchedule.h"
#include "drumlin/ir/sizes/InstantiateSizes.h"
#include "drumlin/support/diagnostics/LimitErrors.h"
#include "drumlin/support/diagnostics/ProgramErrors.h"
#include "drumlin/support/diagnostics/UnsupportedErrors.h"
#include "drumlin/target/CpuTarget.h"
#include "mlir/IR/Verifier.h"

using namespace mlir;

namespace drumlin {

Status checkUnits(ModuleOp module, Numerics numerics) {
  Status status = Done{};
  module.walk([&](Operation *op) {
    plan::KernelSchedule schedule = plan::scheduleOf(op);
    if (schedule && !info(schedule.unit()).isAllowed(numerics)) {
      status = diagnose(errors::ScheduleUnfit,
                        "unit `" + std::string(info(schedule.unit()).name) +
                            "` needs the relaxation `flush-products`, and numerics are `" +
                            numerics.str() + "`",
                        plan::sourceOf(op->getLoc()));
    }
  });
  return status;
}

Status checkFusedProducts(ModuleOp module, const CompileOptions &options) {
  std::string attribute = std::string("`") + plan::fmaAttribute + "`";
  Status status = Done{};
  module.walk([&](Operation *op) {
    if (!op->hasAttr(plan::fmaAttribute)) {
      return;
    }
    std::string wrong = !plan::fusedMultiplyAdd(op)
                            ? attribute + " names no multiplication in the operation's own block"
                        : !options.numerics.allows(Relaxation::Contract)
                            ? attribute + " needs the relaxation `contract`, and numerics are `" +
                                  options.numerics.str() + "`"
                            : "";
    if (!wrong.empty()) {
      status = diagnose(errors::ScheduleUnfit, wrong, plan::sourceOf(op->getLoc()),
                        "remove " + attribute + ", or start from the phase `layout`");
    }
  });
  return status;
}

Status checkMemory(ModuleOp module, const CompileOptions &options) {
  if (options.memoryBudget == 0) {
    return Done{};
  }
  PeakMemory memory = peakMemory(entryFunction(module));
  int64_t held =
      memory.total() - memory.temporaryBytes + std::max(memory.temporaryBytes, memory.arenaBytes);
  if (std::cmp_less_equal(held, options.memoryBudget)) {
    return Done{};
  }
  auto budget = static_cast<int64_t>(options.memoryBudget);
  std::string text = memoryText(memory, /*maxHolders=*/3);
  return diagnose(errors::OutOfMemory,
                  "a call holds " + bytesText(held) + ", " + bytesText(held - budget) +
                      " more than the budget: " + llvm::StringRef(text).trim().str(),
                  "--memory-budget",
                  "donate arguments whose memory results can take, use smaller batches or a "
                  "narrower type (`--auto-cast`), or raise the budget");
}

// Checks that a size that is 0 at the nominal sizes is 0 at every call, and that a size that is 1
// at the nominal sizes is 1 at every call.
static Status checkNominalSizes(func::FuncOp entry, llvm::ArrayRef<SizeSymbol> symbols) {
  std::vector<SizeConstraint> constraints = sizeConstraintsOf(entry);
  std::string error, where;
  auto check = [&](Value value) {
    if (!error.empty() || !hasSymbolicSizes(value.getType())) {
      return;
    }
    for (const SizeExpression &size : symbolicSizesOf(value)) {
      if (isMoreElsewhere(size, symbols, constraints)) {
        error = size.str();
        where = plan::sourceOf(value.getLoc());
      }
    }
  };
  entry->getParentOp()->walk([&](Operation *op) {
    llvm::for_each(op->getResults(), check);
    for (Region &region : op->getRegions()) {
      llvm::for_each(region.getArguments(), check);
    }
  });
  return error.empty() ? Done{}
                       : Status(diagnose(errors::UnsupportedDynamicShape,
                                         "a size `" + error +
                                             "` that is 0 or 1 at the nominal sizes, and more "
                                             "at others, isn't supported",
                                         where,
                                         "name other nominal sizes with `--size`, or lower the "
                                         "program with concrete sizes"));
}

// Instantiates the program at sizes other than the nominal ones, and runs the verifiers on it.
Status checkSizes(const std::string &phase, ModuleOp module) {
  func::FuncOp entry = entryFunction(module);
  std::vector<SizeSymbol> symbols = sizeSymbolsOf(entry);
  if (symbols.empty()) {
    return Done{};
  }
  if (Status status = checkNominalSizes(entry, symbols); !status) {
    return status;
  }
  std::string error, where;
  ScopedDiagnosticHandler handler(module.getContext(), [&](mlir::Diagnostic &diagnostic) {
    if (error.empty()) {
      error = diagnostic.str();
      where = plan::sourceOf(diagnostic.getLocation());
    }
    return success();
  });
  OwningOpRef<ModuleOp> other = module.clone();
  // The other sizes are smaller than the nominal ones, so that an index computed from a nominal
  // size is out of bounds.
  SizeExpression::Values values =
      otherValues(symbols, sizeConstraintsOf(entry), OtherSizes::Smaller);
  bool isWell = instantiateSizes(*other, values) && succeeded(verify(*other));
  if (isWell) {
    return Done{};
  }
  return diagnose(errors::UnsupportedDynamicShape,
                  "phase `" + phase +
                      "` uses nominal values of sizes that are known only at run time" +
                      (error.empty() ? "" : ": " + error),
                  where);
}

} // namespace drumlin
