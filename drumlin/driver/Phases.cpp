#include "drumlin/driver/Phases.h"

#include "drumlin/driver/CompileBudget.h"
#include "drumlin/driver/PhaseChecks.h"
#include "drumlin/driver/Pipelines.h"
#include "drumlin/driver/UserLayouts.h"
#include "drumlin/driver/backend/BackendChoice.h"
#include "drumlin/import/Import.h"
#include "drumlin/ir/costs/CostText.h"
#include "drumlin/ir/plan/Entry.h"
#include "drumlin/ir/plan/KernelKey.h"
#include "drumlin/ir/plan/Origin.h"
#include "drumlin/ir/plan/PlanDialect.h"
#include "drumlin/ir/plan/Processes.h"
#include "drumlin/ir/sizes/SizeSymbols.h"
#include "drumlin/support/AtomicFile.h"
#include "drumlin/support/MappedFile.h"
#include "drumlin/support/diagnostics/FileErrors.h"
#include "drumlin/support/diagnostics/InternalErrors.h"
#include "drumlin/support/diagnostics/OptionErrors.h"
#include "drumlin/support/diagnostics/ProgramErrors.h"
#include "drumlin/support/diagnostics/RequirementErrors.h"
#include "drumlin/support/diagnostics/SyntaxErrors.h"
#include "drumlin/support/diagnostics/UnsupportedErrors.h"
#include "drumlin/target/TargetNames.h"
#include "drumlin/transforms/ChangeRecorder.h"
#include "drumlin/transforms/Rules.h"
#include "drumlin/transforms/entry/Passes.h"
#include "drumlin/transforms/requirements/CheckRequirements.h"
#include "drumlin/transforms/requirements/FusedGroups.h"
#include "drumlin/transforms/simplify/decompose/Decompose.h"
#include "mlir/IR/Verifier.h"
#include "mlir/Pass/PassInstrumentation.h"
#include "llvm/Support/FileSystem.h"
#include "llvm/Support/Regex.h"

#include <sys/resource.h>

using namespace mlir;

namespace drumlin {

const std::vector<std::string> &phaseNames() {
  static const std::vector<std::string> names = [] {
    std::vector<std::string> made;
    for (const Phase &phase : phases()) {
      made.push_back(phase.name);
    }
    return made;
  }();
  return names;
}

// Returns the code for a failed pass. Two passes may fail because of the program: if calls can't be
// inlined, or if the sum of sizes is too large. Any other failure is the compiler's fault.
static DiagnosticCode codeOfFailure(llvm::StringRef failedStep) {
  return failedStep == "inline-calls"     ? errors::PassFailed
         : failedStep == "assign-buffers" ? errors::TensorTooLarge
                                          : errors::InternalError;
}

int64_t peakKilobytes(const CompileOptions &options) {
  if (!options.measureMemory) {
    return 0; // getrusage() takes a microsecond, and there are many passes
  }
  rusage usage = {};
  getrusage(RUSAGE_SELF, &usage);
  return usage.ru_maxrss;
}

namespace {
// Records each pass's time and memory; prints the program after passes that the user names.
class StepRecorder : public PassInstrumentation {
public:
  StepRecorder(std::string phase, std::vector<StepTime> &times, const CompileOptions &options,
               std::string &failedStep)
      : phase(std::move(phase)), times(times), options(options), failedStep(failedStep) {}

  void runBeforePass(Pass *, Operation *) override {
    begun.push_back(std::chrono::steady_clock::now());
  }

  void runAfterPass(Pass *pass, Operation *op) override {
    std::chrono::duration<double, std::milli> taken =
        std::chrono::steady_clock::now() - begun.back();
    begun.pop_back();
    std::string step = pass->getArgument().str();
    // Pass adaptors, which only contain other passes, have no flag.
    if (step.empty()) {
      return;
    }
    times.push_back({phase, step, taken.count(), peakKilobytes(options)});
    if (!options.dumpPass.empty() && llvm::Regex(options.dumpPass).match(step)) {
      llvm::errs() << "// after " << step << "\n" << *op << "\n";
    }
  }

  // Only the first failure is kept, since a pass adaptor also fails after a pass that it contains
  // has failed.
  void runAfterPassFailed(Pass *pass, Operation *) override {
    if (failedStep.empty()) {
      failedStep = pass->getArgument().str();
    }
  }

private:
  std::string phase;
  std::vector<StepTime> &times;
  const CompileOptions &options;
  std::string &failedStep;
  std::vector<std::chrono::steady_clock::time_point> begun;
};
} // namespace

DialectRegistry programDialects() {
  DialectRegistry registry;
  registerDialects(registry);
  registry.insert<plan::PlanDialect>();
  return registry;
}

// The attribute in a phase's text that lists the names and sources of the program's operations by
// number.
static constexpr llvm::StringLiteral operationsAttribute = "plan.operations";

std::string phaseText(ModuleOp module, const std::vector<plan::ProgramOperation> &operations) {
  Builder builder(module.getContext());
  SmallVector<Attribute> named;
  for (const plan::ProgramOperation &operation : operations) {
    named.push_back(builder.getStringAttr(operation.name + " " + operation.source));
  }
  if (!named.empty()) {
    module->setAttr(operationsAttribute, builder.getArrayAttr(named));
  }
  std::string text;
  llvm::raw_string_ostream stream(text);
  module->print(stream, OpPrintingFlags().enableDebugInfo(true));
  stream << "\n";
  module->removeAttr(operationsAttribute);
  return text;
}

// Removes the attribute that phaseText() added to the module, and returns the operations that the
// attribute lists.
static std::vector<plan::ProgramOperation> takeOperations(ModuleOp module) {
  std::vector<plan::ProgramOperation> operations;
  auto named = dyn_cast_or_null<ArrayAttr>(module->removeAttr(operationsAttribute));
  for (Attribute each : named ? named.getValue() : ArrayRef<Attribute>()) {
    auto text = dyn_cast<StringAttr>(each);
    auto [name, source] = (text ? text.getValue() : StringRef()).split(' ');
    operations.emplace_back();
    operations.back().name = name.str();
    operations.back().source = source.str();
  }
  return operations;
}

std::string ledgerPath(const std::string &phaseFile) {
  llvm::StringRef stem(phaseFile);
  stem.consume_back(".mlir");
  return stem.str() + ".ledger.json";
}

// Returns the contracts that are guaranteed by the passes of the phases before the first phase that
// runs.
static std::vector<const Contract *> contractsBefore(const CompileOptions &options,
                                                     MLIRContext *context) {
  std::vector<const Contract *> holding;
  if (options.startFrom.empty()) {
    return holding;
  }
  Ledger unused;
  for (const Phase &phase : phases()) {
    PassManager passes(context);
    PipelineBuilder pipeline(passes, holding, options);
    phase.build(pipeline, unused);
    if (phase.name == options.startFrom) {
      break;
    }
  }
  return holding;
}

// Returns the flags of the phase's passes: those for all targets and those for the options' target.
static std::vector<std::string> passNames(const Phase &phase, const CompileOptions &options,
                                          MLIRContext *context) {
  std::vector<std::string> names;
  for (TargetPtr target : {nativeTarget(), options.target}) {
    Ledger unused;
    std::vector<const Contract *> holding;
    PassManager passes(context);
    CompileOptions withTarget = options;
    withTarget.target = target;
    PipelineBuilder pipeline(passes, holding, withTarget);
    phase.build(pipeline, unused);
    for (const std::string &name : pipeline.passNames()) {
      if (!llvm::is_contained(names, name)) {
        names.push_back(name);
      }
    }
  }
  return names;
}

std::vector<std::string> passNames(const std::string &phase) {
  MLIRContext context(MLIRContext::Threading::DISABLED);
  for (const Phase &each : phases()) {
    if (each.name == phase) {
      return passNames(each, CompileOptions(), &context);
    }
  }
  return {};
}

static Status checkDisabled(const CompileOptions &options, MLIRContext *context) {
  if (options.disabledPasses.empty()) {
    return Done{};
  }
  std::vector<std::string> names;
  for (const RuleInfo &rule : allRules()) {
    if (rule.kind == RuleKind::Decides) {
      names.emplace_back(rule.name);
    }
  }
  for (const Phase &phase : phases()) {
    llvm::append_range(names, passNames(phase, options, context));
  }
  for (const std::string &name : options.disabledPasses) {
    if (!llvm::is_contained(names, name)) {
      const RuleInfo *rule = findRule(name);
      return diagnose(errors::UnknownPass,
                      rule
                          ? "rule `" + name +
                                "` reports something that is always done, so it can't be turned off"
                          : "`" + name + "` names no pass and no rule",
                      "", "use one of " + llvm::join(names, ", "));
    }
  }
  return Done{};
}

static Result<std::vector<Requirement>>
readRequirements(ModuleOp module, const CompileOptions &options,
                 std::span<const plan::ProgramOperation> operations) {
  Result<std::vector<Requirement>> all = requirementsOf(module, operations);
  if (!all) {
    return all;
  }
  for (const std::string &text : options.requirements) {
    Result<Requirement> parsed = parseRequirement(text);
    if (!parsed) {
      return parsed.error();
    }
    all->push_back(std::move(*parsed));
  }
  return all;
}

// Checks the input of `--start-from` and restores the ledger. Anyone may have written this text, so
// it must satisfy the contracts of the earlier phases, and the kernels' keys are computed again.
static Status takeUp(ModuleOp module, const CompileOptions &options,
                     ArrayRef<const Contract *> holding, PhaseResult &result) {
  plan::recomputeKeys(module);
  for (const Contract *contract : holding) {
    if (std::optional<Violation> violation = contract->check(module)) {
      return diagnose(errors::PassFailed,
                      violation->what + ", but after phase `" + options.startFrom + "` " +
                          std::string(contract->statement),
                      plan::sourceOf(violation->op->getLoc()),
                      "pass the text that `--stop-after " + options.startFrom +
                          "` or `--dump-phases` wrote");
    }
  }
  if (options.startLedger.empty()) {
    return Done{};
  }
  Result<std::shared_ptr<MappedFile>> file = MappedFile::open(options.startLedger);
  if (!file) {
    return file.error();
  }
  if (!result.ledger.restore((*file)->text())) {
    return diagnose(errors::SyntaxInvalid, "isn't a ledger of decisions", options.startLedger,
                    "write it again with `--stop-after " + options.startFrom + "`, or remove it");
  }
  return Done{};
}

static Status dump(ModuleOp module, const CompileOptions &options, size_t number,
                   const std::string &name, const PhaseResult &result) {
  if (options.dumpPhases.empty()) {
    return Done{};
  }
  if (std::error_code error = llvm::sys::fs::create_directories(options.dumpPhases)) {
    return diagnose(errors::FileNotWritable, "can't make the folder: " + error.message(),
                    options.dumpPhases);
  }
  std::string prefix =
      options.dumpPhases + "/" + (number < 10 ? "0" : "") + std::to_string(number) + "-" + name;
  if (Status status = writeFile(prefix + ".mlir", phaseText(module, result.operations)); !status) {
    return status;
  }
  if (Status status = writeFile(prefix + ".ledger.json", result.ledger.json()); !status) {
    return status;
  }
  return findUnknownSizes(module)
             ? Status(Done{})
             : writeFile(prefix + ".costs.json", planJson(module, planCost(module)));
}

static Status checkKernels(ModuleOp module, const PhaseResult &result) {
  Status status =
      checkKernelRequirements(result.requirements, module, result.operations, result.ledger);
  return status ? checkFusedGroups(module, result.operations, result.ledger) : status;
}

// Checks requirements about kernels after the backend's phaseOfKernels(), before equal kernels are
// merged, and requirements about memory after the phase `buffers`.
static Status checkRequirements(const std::string &phase, ModuleOp module, const Backend &backend,
                                const PhaseResult &result) {
  if (phase == backend.phaseOfKernels()) {
    return checkKernels(module, result);
  }
  return phase == "buffers" ? checkMemoryRequirements(result.requirements, module) : Status(Done{});
}

// Returns a predicate that tells whether another version of the module still satisfies all
// requirements that `module` satisfies now.
static std::function<bool(ModuleOp)> keepsOf(ModuleOp module, const PhaseResult &result) {
  std::vector<Requirement> kept;
  auto isKept = [&result](std::span<const Requirement> requirements, ModuleOp plan) {
    return bool(checkKernelRequirements(requirements, plan, result.operations, result.ledger));
  };
  for (const Requirement &requirement : result.requirements) {
    if (isKept({&requirement, 1}, module)) {
      kept.push_back(requirement);
    }
  }
  bool areFused = bool(checkFusedGroups(module, result.operations, result.ledger));
  return [=, &result](ModuleOp plan) {
    return isKept(kept, plan) &&
           (!areFused || checkFusedGroups(plan, result.operations, result.ledger));
  };
}

GridShape gridFor(ModuleOp module, const CompileOptions &options) {
  GridShape grid = gridOf(module);
  grid.replicas = options.grid.replicas > 0 ? options.grid.replicas : grid.replicas;
  grid.partitions = options.grid.partitions > 0 ? options.grid.partitions : grid.partitions;
  return grid;
}

// Sets the grid, marks static arguments and binds weights, as the options state. Runs before the
// first phase.
static Status prepareEntry(ModuleOp module, const CompileOptions &options, PhaseResult &result) {
  GridShape grid = gridFor(module, options);
  if (options.grid.replicas > 0 || options.grid.partitions > 0) {
    setGrid(module, grid);
  }
  if (Status alone = checkProcessCount(module, grid, Meetings::Transfers); !alone) {
    return alone;
  }
  std::optional<drumlin::Diagnostic> failure;
  PassManager passes(module.getContext());
  passes.enableVerifier(false);
  std::vector<drumlin::Diagnostic> notes;
  passes.addPass(createMarkStaticPass(options.staticArguments, notes, failure));
  if (!options.weightsFile.empty()) {
    WeightPlace place = options.weightsInPlace == CompileOptions::WeightsInPlace::Off
                            ? WeightPlace::OwnFile
                            : WeightPlace::CallersFile;
    passes.addPass(createBindWeightsPass(options.weightsFile, place, result.weights, failure));
  }
  ScopedDiagnosticHandler quiet(module.getContext(), [](mlir::Diagnostic &) { return success(); });
  if (failed(passes.run(module))) {
    return failure ? *failure : diagnose(errors::InternalError, "the entry can't be prepared");
  }
  for (const drumlin::Diagnostic &note : notes) {
    if (options.warn) {
      options.warn(note);
    }
  }
  return Done{};
}

// Returns the rules that fuse several operations into one kernel.
static std::vector<std::string> joiningRules() {
  std::vector<std::string> names;
  for (Rule rule : {Rule::GemmAbsorbConsumer, Rule::GemmAbsorbProducer, Rule::LoopReadThrough,
                    Rule::LoopMergeUsers, Rule::LoopFuseProducer, Rule::LoopRepeatProducer}) {
    names.emplace_back(info(rule).name);
  }
  return names;
}

Status roundProgram(ModuleOp module, const CompileOptions &options, PhaseResult &result) {
  if (Status status = prepareEntry(module, options, result); !status) {
    return status;
  }
  plan::numberOrigins(module);
  result.operations = plan::programOperations(module);
  result.ledger.turnOff(options.disabledPasses);
  PassManager passes(module.getContext());
  std::vector<const Contract *> holding;
  PipelineBuilder pipeline(passes, holding, options);
  buildRounding(pipeline, result.ledger, /*marksRoundings=*/true);
  ScopedDiagnosticHandler quiet(module.getContext(), [](mlir::Diagnostic &) { return success(); });
  if (succeeded(passes.run(module))) {
    return Done{};
  }
  return pipeline.failure ? *pipeline.failure
                          : diagnose(errors::InternalError, "the program can't be rounded");
}

CompileOptions withBudget(ModuleOp module, CompileOptions options) {
  if (!options.budget) {
    func::FuncOp entry = entryFunction(module);
    std::string place = plan::sourceOf(entry ? entry.getLoc() : module.getLoc());
    options.budget = std::make_shared<CompileBudget>(options, place);
  }
  return options;
}

static Status checkPhaseNames(const CompileOptions &options) {
  if (!options.distributionStrategy.empty()) {
    return diagnose(errors::DistributionUnsupported,
                    "`" + options.distributionStrategy +
                        "`: programs aren't partitioned among devices yet",
                    "--distribution-strategy");
  }
  for (const std::string &name : {options.stopAfter, options.startFrom}) {
    if (!name.empty() && !llvm::is_contained(phaseNames(), name)) {
      return diagnose(errors::UnknownPhase, "`" + name + "` names no phase", "",
                      "use one of " + llvm::join(phaseNames(), ", "));
    }
  }
  return Done{};
}

// Numbers the operations of a program that no phase has changed yet, and reads its requirements.
static Status beginProgram(ModuleOp module, const CompileOptions &options, PhaseResult &result) {
  result.ledger.beginPhase("import");
  recordWeights(module, result.ledger);
  plan::numberOrigins(module);
  result.operations = plan::programOperations(module);
  Result<std::vector<Requirement>> read = readRequirements(module, options, result.operations);
  if (!read) {
    return read.error();
  }
  result.requirements = std::move(*read);
  return dump(module, options, 0, "import", result);
}

namespace {
// Runs consecutive phases.
class PhaseRunner {
public:
  PhaseRunner(ModuleOp module, const CompileOptions &options, const Backend &backend,
              std::vector<const Contract *> &holding, PhaseResult &result)
      : module(module), options(options), backend(backend), holding(holding), result(result) {}

  Status run(const Phase &phase, size_t number) {
    std::string errors;
    ScopedDiagnosticHandler handler(module.getContext(), [&](mlir::Diagnostic &diagnostic) {
      llvm::raw_string_ostream(errors)
          << plan::sourceOf(diagnostic.getLocation()) << ": " << diagnostic << "\n";
      return success();
    });
    Status status = runPasses(phase, errors);
    status = status ? dump(module, options, number, phase.name, result) : status;
    status = status ? checkSizes(phase.name, module) : status;
    status = status ? checkRequirements(phase.name, module, backend, result) : status;
    return status && phase.name == "buffers" ? checkMemory(module, options) : status;
  }

private:
  void build(const Phase &phase, PipelineBuilder &pipeline);
  // Runs a phase's passes. `errors`: the errors that passes reported.
  Status runPasses(const Phase &phase, const std::string &errors);

  ModuleOp module;
  const CompileOptions &options;
  const Backend &backend;
  std::vector<const Contract *> &holding;
  PhaseResult &result;
};
} // namespace

void PhaseRunner::build(const Phase &phase, PipelineBuilder &pipeline) {
  pipeline.kernelCosts = &result.kernelCosts;
  bool isRequired = !result.requirements.empty() || hasFusedGroups(result.operations);
  if (backend.cutsKernels() && phase.name == backend.phaseOfKernels() && isRequired) {
    pipeline.keepsRequirements = keepsOf(module, result);
  }
  phase.build(pipeline, result.ledger);
  for (const auto &[name, make] : options.addedPasses) {
    if (name == phase.name) {
      pipeline.add(make());
    }
  }
  if (options.progress) {
    options.progress("phase " + phase.name, 0, 0);
  }
  if (!options.checksEachPass()) {
    pipeline.checkContracts();
  }
}

Status PhaseRunner::runPasses(const Phase &phase, const std::string &errors) {
  result.ledger.beginPhase(phase.name);
  std::string failedStep;
  PassManager passes(module.getContext());
  passes.addInstrumentation(
      std::make_unique<StepRecorder>(phase.name, result.times, options, failedStep));
  passes.addInstrumentation(std::make_unique<ChangeRecorder>(result.ledger, result.unanswered));
  passes.enableVerifier(options.verifyContracts && options.checksEachPass());
  PipelineBuilder pipeline(passes, holding, options);
  build(phase, pipeline);
  bool isWell = succeeded(passes.run(module)) &&
                (!options.verifyContracts || options.checksEachPass() || succeeded(verify(module)));
  if (isWell) {
    return Done{};
  }
  if (pipeline.failure) {
    return *pipeline.failure;
  }
  std::string what = "phase `" + phase.name + "`: " + llvm::StringRef(errors).trim().str();
  if (!options.disabledPasses.empty()) {
    return diagnose(errors::PassNeeded,
                    "without `" + llvm::join(options.disabledPasses, "`, `") + "`, " + what);
  }
  return diagnose(codeOfFailure(failedStep), what);
}

Status runPhases(ModuleOp module, const CompileOptions &given, PhaseResult &result) {
  const CompileOptions options = withBudget(module, given);
  if (Status status = checkPhaseNames(options); !status) {
    return status;
  }
  if (Status status = checkDisabled(options, module.getContext()); !status) {
    return status;
  }
  if (Status status = checkUserLayouts(module); !status) {
    return status;
  }
  if (Status status = prepareEntry(module, options, result); !status) {
    return status;
  }
  result.ledger.turnOff(options.disabledPasses);
  if (options.level == 0) {
    result.ledger.turnOff(joiningRules(), "compile with `-O1` or higher");
  }
  bool running = options.startFrom.empty();
  result.operations = takeOperations(module);
  if (Status status = running ? beginProgram(module, options, result) : Status(Done{}); !status) {
    return status;
  }
  std::vector<const Contract *> holding = contractsBefore(options, module.getContext());
  if (Status status = takeUp(module, options, holding, result); !status) {
    return status;
  }
  if (Status status = checkUnits(module, options.numerics); !status) {
    return status;
  }
  if (Status status = checkFusedProducts(module, options); !status) {
    return status;
  }
  std::unique_ptr<const Backend> backend = backendOf(*options.target);
  if (Status status = backend->checkOperations(module); !status) {
    return status;
  }
  backend->recordEdits(module, options, result.ledger);
  PhaseRunner runner(module, options, *backend, holding, result);
  for (const auto &[index, phase] : llvm::enumerate(phases())) {
    if (!running) {
      running = phase.name == options.startFrom;
      continue;
    }
    if (Status status = options.budget->check("phase `" + phase.name + "`", module); !status) {
      return status;
    }
    if (Status status = runner.run(phase, index + 1); !status) {
      return status;
    }
    if (phase.name == options.stopAfter) {
      break;
    }
  }
  return Done{};
}

} // namespace drumlin
