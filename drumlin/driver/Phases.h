// The phases of a compilation, by name and in order: program text becomes a placed plan.
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

// The dialects of programs and of what every phase makes.
mlir::DialectRegistry programDialects();

// Of one pass or step.
struct StepTime {
  std::string phase;
  std::string step;
  double milliseconds = 0;
  // The process's peak of resident memory so far, with CompileOptions::measureMemory; else 0.
  int64_t peakKilobytes = 0;
};

// For StepTime.
int64_t peakKilobytes(const CompileOptions &options);

struct PhaseResult {
  std::vector<NamedTensor> weights; // of the options' file, in the order of the weight table
  Ledger ledger;
  std::vector<Requirement> requirements;          // of the program and of the options
  std::vector<plan::ProgramOperation> operations; // of the program before any phase, by number
  KernelCosts kernelCosts;                        // as far as phases asked for them
  std::vector<StepTime> times;
  std::vector<std::string> unanswered; // changes of passes that the ledger has no entry of
};

// The names, in order: simplify, rewrite, fusion, layout, select, schedule, buffers.
const std::vector<std::string> &phaseNames();

// The flags of a phase's passes, in order.
std::vector<std::string> passNames(const std::string &phase);

// The text of a program between phases, with locations and constants: what `--start-from` goes on
// from, given the ledger that lies beside it under the name that ledgerPath() gives.
// `operations` are those of the result.
std::string phaseText(mlir::ModuleOp module, const std::vector<plan::ProgramOperation> &operations);
std::string ledgerPath(const std::string &phaseFile);

// The options, with the budget of a compilation that begins now unless one is under way.
CompileOptions withBudget(mlir::ModuleOp module, CompileOptions options);

// Runs all phases (or those that the options select) on a module in place.
Status runPhases(mlir::ModuleOp module, const CompileOptions &options, PhaseResult &result);
// The processes that a program is compiled for: what the options say, else the program.
GridShape gridFor(mlir::ModuleOp module, const CompileOptions &options);

// Runs only what comes before the roundings of `--auto-cast`, and these, which are marked
// (RoundingMark): for observers of what they lose. The program must be as it was imported.
Status roundProgram(mlir::ModuleOp module, const CompileOptions &options, PhaseResult &result);

} // namespace drumlin
