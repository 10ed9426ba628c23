// The phases of a compilation, by name and in order: they turn a program into a placed plan.
#pragma once

#include "drumlin/driver/Options.h"
#include "drumlin/ir/costs/ProgramCost.h"
#include "drumlin/ir/plan/Origin.h"
#include "drumlin/support/ArrayFiles.h"
#include "drumlin/support/Diagnostics.h"
#include "drumlin/transforms/Ledger.h"
#include "drumlin/transforms/requirements/Requirement.h"
#include "mlir/IR/BuiltinOps.h"

#include <chrono>

namespace drumlin {

// Returns the dialects of programs and of every phase's output.
mlir::DialectRegistry programDialects();

// The time and memory of one pass or step.
struct StepTime {
  std::string phase;
  std::string step;
  double milliseconds = 0;
  // The process's peak resident memory so far; 0 unless CompileOptions::measureMemory is set.
  int64_t peakKilobytes = 0;
};

// Returns the current value for StepTime::peakKilobytes.
int64_t peakKilobytes(const CompileOptions &options);

struct PhaseResult {
  std::vector<NamedTensor> weights; // from CompileOptions::weightsFile, in the weight table's order
  Ledger ledger;
  std::vector<Requirement> requirements;          // from the program and the options
  std::vector<plan::ProgramOperation> operations; // before any phase, indexed by number
  KernelCosts kernelCosts;                        // filled in as phases request them
  std::vector<StepTime> times;
  std::vector<std::string> unanswered; // passes' changes without a ledger entry
};

// Returns the phases' names in order: simplify, rewrite, fusion, layout, select, schedule, buffers.
const std::vector<std::string> &phaseNames();

// Returns the flags of a phase's passes, in order.
std::vector<std::string> passNames(const std::string &phase);

// Returns a program's text between phases, with locations and constants: the input of
// `--start-from`, together with the ledger file that ledgerPath() names. `operations` are
// PhaseResult::operations.
std::string phaseText(mlir::ModuleOp module, const std::vector<plan::ProgramOperation> &operations);
std::string ledgerPath(const std::string &phaseFile);

// Returns the options with a budget. If the options have no budget yet, a new budget is created,
// whose time begins now.
CompileOptions withBudget(mlir::ModuleOp module, CompileOptions options);

// Runs all phases, or the phases that the options select, on a module in place.
Status runPhases(mlir::ModuleOp module, const CompileOptions &options, PhaseResult &result);
// Returns the grid of processes that a program is compiled for: from the options, else from the
// program.
GridShape gridFor(mlir::ModuleOp module, const CompileOptions &options);

// Runs only the passes of phase `simplify` up to the roundings of `--auto-cast`, and marks these
// roundings (RoundingMark), so that their loss of precision can be measured. No phase may have
// changed the program before.
Status roundProgram(mlir::ModuleOp module, const CompileOptions &options, PhaseResult &result);

} // namespace drumlin
