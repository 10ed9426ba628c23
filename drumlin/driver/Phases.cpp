#include "drumlin/driver/Phases.h"

#include "drumlin/driver/UserLayouts.h"
#include "drumlin/import/Import.h"
#include "drumlin/ir/plan/CostText.h"
#include "drumlin/ir/plan/Entry.h"
#include "drumlin/ir/plan/FusedMultiplyAdd.h"
#include "drumlin/ir/plan/KernelKey.h"
#include "drumlin/ir/plan/Origin.h"
#include "drumlin/ir/plan/PeakMemory.h"
#include "drumlin/ir/plan/PlanDialect.h"
#include "drumlin/ir/plan/Processes.h"
#include "drumlin/ir/sizes/InstantiateSizes.h"
#include "drumlin/support/AtomicFile.h"
#include "drumlin/support/MappedFile.h"
#include "drumlin/transforms/ChangeRecorder.h"
#include "drumlin/transforms/Contracts.h"
#include "drumlin/transforms/buffers/Passes.h"
#include "drumlin/transforms/entry/Passes.h"
#include "drumlin/transforms/fusion/Passes.h"
#include "drumlin/transforms/gemm/GemmCandidates.h"
#include "drumlin/transforms/layout/Passes.h"
#include "drumlin/transforms/requirements/Check.h"
#include "drumlin/transforms/rewrite/Passes.h"
#include "drumlin/transforms/schedule/Passes.h"
#include "drumlin/transforms/select/Passes.h"
#include "drumlin/transforms/select/ScheduleRules.h"
#include "drumlin/transforms/simplify/Passes.h"
#include "mlir/IR/Verifier.h"
#include "mlir/Pass/PassInstrumentation.h"
#include "mlir/Pass/PassManager.h"
#include "llvm/Support/FileSystem.h"
#include "llvm/Support/Regex.h"

#include <sys/resource.h>

using namespace mlir;

namespace drumlin {

namespace {
// Adds passes with the check of all contracts that hold after each.
class PipelineBuilder {
public:
  PipelineBuilder(PassManager &passes, std::vector<const Contract *> &holding,
                  const CompileOptions &options)
      : cpu(dyn_cast<CpuTarget>(options.target.get())),
        gpu(dyn_cast<GpuTarget>(options.target.get())), passes(passes), holding(holding),
        options(options), checks(options.verifyContracts) {}

  // That kernels are made for; null for other targets' plans.
  const CpuTarget *cpu;
  // Whose library computes products; null for other targets' plans.
  const GpuTarget *gpu;
  // Takes what kernels cost; null where that isn't wanted.
  KernelCosts *kernelCosts = nullptr;
  // Why a pass failed, where that is the program's or the user's fault.
  std::optional<Diagnostic> failure;

  template <typename Root = ModuleOp> void add(std::unique_ptr<Pass> pass) {
    std::string flag = pass->getArgument().str();
    names.push_back(flag);
    if (isDisabled(flag)) {
      // What it guarantees may hold without it.
      checks = true;
    } else if constexpr (std::is_same_v<Root, ModuleOp>) {
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

  PassManager &passes;
  std::vector<const Contract *> &holding;
  const CompileOptions &options;
  bool checks;
  std::vector<std::string> names;
};

struct Phase {
  std::string name;
  void (*build)(PipelineBuilder &, Ledger &);
};
} // namespace

// The passes up to the roundings that the user allows.
static void buildRounding(PipelineBuilder &pipeline, Ledger &ledger, bool marksRoundings) {
  pipeline.add(createNameSizesPass());
  pipeline.add(createInlineCallsPass(ledger));
  pipeline.add(createResolveSizesPass(pipeline.compileOptions().sizes, pipeline.failure));
  pipeline.add<func::FuncOp>(createLowerQuantizedPass(ledger));
  pipeline.add<func::FuncOp>(createDecomposeOperationsPass(pipeline.failure));
  pipeline.add<func::FuncOp>(createFormHostCallsPass());
  pipeline.add<func::FuncOp>(createSimplifyBranchesPass());
  pipeline.add<func::FuncOp>(createSimplifyWhilesPass());
  pipeline.add<func::FuncOp>(createUnrollWhilesPass());
  pipeline.add<func::FuncOp>(createSimplifyDynamicsPass());
  if (AutoCast cast = pipeline.compileOptions().autoCast; cast.mode != AutoCast::Mode::None) {
    pipeline.add<func::FuncOp>(createAutoCastPass(ledger, cast, marksRoundings));
  }
}

static void buildSimplify(PipelineBuilder &pipeline, Ledger &ledger) {
  buildRounding(pipeline, ledger, /*marksRoundings=*/false);
  pipeline.add<func::FuncOp>(createSplitComplexPass());
  pipeline.add<func::FuncOp>(createSplitBitcastsPass());
  pipeline.add<func::FuncOp>(createSimplifyElementwisePass());
  pipeline.add<func::FuncOp>(createSimplifyShapesPass());
  pipeline.add<func::FuncOp>(createSimplifySlicesPass());
  pipeline.add<func::FuncOp>(createSimplifyDotsPass(ledger));
  pipeline.add<func::FuncOp>(createFoldConstantsPass(ledger));
  pipeline.add<func::FuncOp>(createMarkPrefixScansPass());
  pipeline.add<func::FuncOp>(createCsePass());
}

static void buildRewrite(PipelineBuilder &pipeline, Ledger &ledger) {
  if (pipeline.compileOptions().numerics.allows(Relaxation::Reassociate)) {
    pipeline.add<func::FuncOp>(createFactorScalesPass(ledger));
  }
  if (pipeline.cpu) {
    pipeline.add<func::FuncOp>(
        createSplitContractionsPass(ledger, *pipeline.cpu, pipeline.compileOptions().numerics));
  }
  pipeline.add<func::FuncOp>(createSplitTransformsPass(ledger));
  pipeline.add<func::FuncOp>(createHeroRewritePass(ledger));
  pipeline.add<func::FuncOp>(createGemmRewritePass(ledger, pipeline.compileOptions().modelType));
}

static void buildFusion(PipelineBuilder &pipeline, Ledger &ledger) {
  pipeline.add<func::FuncOp>(createLoopFusionPass(ledger));
}

static void buildLayout(PipelineBuilder &pipeline, Ledger &ledger) {
  const CompileOptions &options = pipeline.compileOptions();
  if (!options.forcedKernels.empty()) {
    pipeline.add(createForceKernelsPass(options.forcedKernels, options.target, pipeline.failure));
  }
  pipeline.add<func::FuncOp>(createAssignLayoutsPass(ledger, {options.target, options.numerics}));
  pipeline.add<func::FuncOp>(createNormalizeLayoutsPass(ledger));
  if (pipeline.cpu) {
    pipeline.add<func::FuncOp>(createMergeDimensionsPass(ledger));
    pipeline.add<func::FuncOp>(
        createBlockLayoutsPass(ledger, *pipeline.cpu, pipeline.compileOptions().numerics));
  }
}

static void buildSelect(PipelineBuilder &pipeline, Ledger &ledger) {
  if (pipeline.cpu) {
    pipeline.add<func::FuncOp>(createSelectSchedulesPass(
        ledger, *pipeline.cpu, pipeline.compileOptions().numerics, pipeline.failure));
    if (pipeline.compileOptions().numerics.allows(Relaxation::Contract)) {
      pipeline.add<func::FuncOp>(createContractProductsPass(ledger, *pipeline.cpu));
    }
  } else if (pipeline.gpu) {
    pipeline.add<func::FuncOp>(createSelectLibraryCallsPass(ledger, *pipeline.gpu));
  }
}

// What code that is made quickly may add to the predicted time at `-O1`.
static constexpr double quickShare = 0.02;

static void buildSchedule(PipelineBuilder &pipeline, Ledger &ledger) {
  pipeline.add<func::FuncOp>(createDropBarriersPass());
  pipeline.add(createOutlineKernelsPass());
  const CompileOptions &options = pipeline.compileOptions();
  EffortBudget budget;
  budget.seconds = options.unnoticedSeconds;
  if (options.level < 2) {
    budget.share = options.level == 0 ? std::numeric_limits<double>::infinity() : quickShare;
  } else {
    budget.others = plan::CodeEffort::Full;
  }
  if (pipeline.cpu && (options.level < 2 || budget.seconds > 0)) {
    pipeline.add(createLimitEffortPass(ledger, *pipeline.cpu, budget, pipeline.kernelCosts));
  }
}

static void buildBuffers(PipelineBuilder &pipeline, Ledger &) {
  pipeline.add<func::FuncOp>(createAssignBuffersPass());
}

static const std::vector<Phase> &phases() {
  static const std::vector<Phase> all = {
      {"simplify", buildSimplify}, {"rewrite", buildRewrite}, {"fusion", buildFusion},
      {"layout", buildLayout},     {"select", buildSelect},   {"schedule", buildSchedule},
      {"buffers", buildBuffers},
  };
  return all;
}

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

// Passes that fail because of the program: of calls that can't be inlined, or of sizes that add up
// to too much. Where another one fails, the compiler is at fault.
static DiagnosticCode codeOfFailure(llvm::StringRef failedStep) {
  return failedStep == "inline-calls"     ? DiagnosticCode::PassFailed
         : failedStep == "assign-buffers" ? DiagnosticCode::TensorTooLarge
                                          : DiagnosticCode::InternalError;
}

int64_t peakKilobytes(const CompileOptions &options) {
  if (!options.measureMemory) {
    return 0; // asking takes a microsecond, and there are many passes
  }
  rusage usage = {};
  getrusage(RUSAGE_SELF, &usage);
  return usage.ru_maxrss;
}

namespace {
// Records time and memory of each pass; prints the program after those that the user names.
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
    // Adaptors, which only hold other passes, have no argument.
    if (step.empty()) {
      return;
    }
    times.push_back({phase, step, taken.count(), peakKilobytes(options)});
    if (!options.dumpPass.empty() && llvm::Regex(options.dumpPass).match(step)) {
      llvm::errs() << "// after " << step << "\n" << *op << "\n";
    }
  }

  // Adaptors fail after what they hold.
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

// On the text of a phase: names and sources of the program's operations, by number.
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

// What phaseText() wrote of the program's operations, which the module then lacks.
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

// The contracts that the passes of the phases up to the first one to run guarantee.
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

// Of plans for any processor, and for the options' target.
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
      return diagnose(DiagnosticCode::UnknownPass,
                      rule ? "rule `" + name +
                                 "` reports what is done without a choice: it can't "
                                 "be turned off"
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

// The input of `--start-from` is text that anyone may have written: it must keep what its phases
// guarantee, and its kernels get the keys that they should have.
static Status takeUp(ModuleOp module, const CompileOptions &options,
                     ArrayRef<const Contract *> holding, PhaseResult &result) {
  plan::recomputeKeys(module);
  for (const Contract *contract : holding) {
    if (std::optional<Violation> violation = contract->check(module)) {
      return diagnose(DiagnosticCode::PassFailed,
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
    return diagnose(DiagnosticCode::SyntaxInvalid, "is no ledger of decisions", options.startLedger,
                    "write it again with `--stop-after " + options.startFrom + "`, or remove it");
  }
  return Done{};
}

// A text's schedules may have no unit that the numerics keep out.
static Status checkUnits(ModuleOp module, Numerics numerics) {
  Status status = Done{};
  module.walk([&](Operation *op) {
    std::optional<GemmSchedule> schedule = gemmScheduleOf(op);
    if (schedule && !info(schedule->unit).isAllowed(numerics)) {
      status = diagnose(DiagnosticCode::ScheduleUnfit,
                        "unit `" + std::string(info(schedule->unit).name) +
                            "` needs the relaxation `flush-products`, and numerics are `" +
                            numerics.str() + "`",
                        plan::sourceOf(op->getLoc()));
    }
  });
  return status;
}

// Nor products that aren't rounded, where these or the target have no fused multiply-adds.
static Status checkFusedProducts(ModuleOp module, const CompileOptions &options) {
  const auto *cpu = dyn_cast<CpuTarget>(options.target.get());
  std::string attribute = std::string("`") + plan::fmaAttribute + "`";
  Status status = Done{};
  module.walk([&](Operation *op) {
    if (!op->hasAttr(plan::fmaAttribute)) {
      return;
    }
    std::string wrong = !plan::fusedMultiplyAdd(op)
                            ? attribute + " names no operand that is a product of its own block"
                        : !options.numerics.allows(Relaxation::Contract)
                            ? attribute + " needs the relaxation `contract`, and numerics are `" +
                                  options.numerics.str() + "`"
                        : cpu && !cpu->has("fma") ? "`" + cpu->name + "` has no " + attribute
                                                  : "";
    if (!wrong.empty()) {
      status = diagnose(DiagnosticCode::ScheduleUnfit, wrong, plan::sourceOf(op->getLoc()),
                        "remove " + attribute + ", or start from the phase `layout`");
    }
  });
  return status;
}

// What a text says of schedules the ledger says, too.
static void recordEdits(ModuleOp module, const CpuTarget &target, Numerics numerics,
                        Ledger &ledger) {
  ledger.beginPhase("select");
  module.walk([&](Operation *op) {
    if (gemmScheduleOf(op)) {
      Result<ScheduleChoice> choice = chooseGemmSchedule(op, target, numerics);
      if (choice && choice->isEdited) {
        recordSchedule(op, *choice, ledger);
      }
    } else if (plan::kernelKindOf(op) && plan::hasSchedule(op)) {
      RuleChoice choice = chooseByRules(op);
      if (choice.isEdited) {
        recordSchedule(op, choice, ledger);
      }
    }
  });
}

static Status dump(ModuleOp module, const CompileOptions &options, size_t number,
                   const std::string &name, const PhaseResult &result) {
  if (options.dumpPhases.empty()) {
    return Done{};
  }
  if (std::error_code error = llvm::sys::fs::create_directories(options.dumpPhases)) {
    return diagnose(DiagnosticCode::FileNotWritable, "can't make the folder: " + error.message(),
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

// Kernels are complete after layout, and not shared yet; memory is after buffers.
static Status checkRequirements(const std::string &phase, ModuleOp module,
                                const PhaseResult &result) {
  if (phase == "layout") {
    return checkKernelRequirements(result.requirements, module, result.operations, result.ledger);
  }
  return phase == "buffers" ? checkMemoryRequirements(result.requirements, module) : Status(Done{});
}

// Before all phases, also where some of them have run: what the caller says about arguments.
static Status prepareEntry(ModuleOp module, const CompileOptions &options, PhaseResult &result) {
  GridShape grid = gridOf(module);
  grid.replicas = options.grid.replicas > 0 ? options.grid.replicas : grid.replicas;
  grid.partitions = options.grid.partitions > 0 ? options.grid.partitions : grid.partitions;
  if (options.grid.replicas > 0 || options.grid.partitions > 0) {
    setGrid(module, grid);
  }
  std::optional<drumlin::Diagnostic> failure;
  PassManager passes(module.getContext());
  passes.enableVerifier(false);
  passes.addPass(createMarkStaticPass(options.staticArguments, failure));
  if (!options.weightsFile.empty()) {
    WeightPlace place = options.weightsInPlace == CompileOptions::WeightsInPlace::Off
                            ? WeightPlace::OwnFile
                            : WeightPlace::CallersFile;
    passes.addPass(createBindWeightsPass(options.weightsFile, place, result.weights, failure));
  }
  ScopedDiagnosticHandler quiet(module.getContext(), [](mlir::Diagnostic &) { return success(); });
  if (failed(passes.run(module))) {
    return failure ? *failure
                   : diagnose(DiagnosticCode::InternalError, "the entry can't be prepared");
  }
  return Done{};
}

// What a call holds at once, once memory is planned.
static Status checkMemory(ModuleOp module, const CompileOptions &options) {
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
  return diagnose(DiagnosticCode::OutOfMemory,
                  "a call holds " + bytesText(held) + ", " + bytesText(held - budget) +
                      " more than the budget: " + llvm::StringRef(text).trim().str(),
                  "--memory-budget",
                  "donate arguments whose memory results can take, use smaller batches or a "
                  "narrower type (`--auto-cast`), or raise the budget");
}

// A size that is 0 or 1 at the nominal values has to be that at every call.
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
                       : Status(diagnose(DiagnosticCode::UnsupportedDynamicShape,
                                         "a size `" + error +
                                             "` that is 0 or 1 at the nominal sizes, and more "
                                             "at others, isn't supported",
                                         where,
                                         "name other nominal sizes with `--size`, or lower the "
                                         "program with concrete sizes"));
}

// What a phase makes of a program whose sizes the run tells has to be right at other sizes than the
// nominal ones, which all types say. Verifiers compare them there.
static Status checkSizes(const std::string &phase, ModuleOp module) {
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
  // Smaller ones: a position that was taken from a nominal size is out of bounds there.
  SizeExpression::Values values =
      otherValues(symbols, sizeConstraintsOf(entry), OtherSizes::Smaller);
  bool isWell = instantiateSizes(*other, values) && succeeded(verify(*other));
  if (isWell) {
    return Done{};
  }
  return diagnose(DiagnosticCode::UnsupportedDynamicShape,
                  "phase `" + phase +
                      "` takes sizes that the run tells for those at its nominal ones" +
                      (error.empty() ? "" : ": " + error),
                  where);
}

// Those that bring several operations into one kernel.
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
                          : diagnose(DiagnosticCode::InternalError, "the program can't be rounded");
}

Status runPhases(ModuleOp module, const CompileOptions &options, PhaseResult &result) {
  if (!options.distributionStrategy.empty()) {
    return diagnose(DiagnosticCode::DistributionUnsupported,
                    "`" + options.distributionStrategy +
                        "`: programs aren't partitioned among devices yet",
                    "--distribution-strategy");
  }
  for (const std::string &name : {options.stopAfter, options.startFrom}) {
    if (!name.empty() && !llvm::is_contained(phaseNames(), name)) {
      return diagnose(DiagnosticCode::UnknownPhase, "`" + name + "` names no phase", "",
                      "use one of " + llvm::join(phaseNames(), ", "));
    }
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
  if (running) {
    result.ledger.beginPhase("import");
    recordWeights(module, result.ledger);
    plan::numberOrigins(module);
    result.operations = plan::programOperations(module);
    Result<std::vector<Requirement>> read = readRequirements(module, options, result.operations);
    if (!read) {
      return read.error();
    }
    result.requirements = std::move(*read);
    if (Status status = dump(module, options, 0, "import", result); !status) {
      return status;
    }
  }
  size_t number = 0;
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
  if (const auto *cpu = dyn_cast<CpuTarget>(options.target.get())) {
    recordEdits(module, *cpu, options.numerics, result.ledger);
  }
  for (const Phase &phase : phases()) {
    ++number;
    if (!running) {
      running = phase.name == options.startFrom;
      continue;
    }
    if (Status status = options.checkInterruption(); !status) {
      return status;
    }
    result.ledger.beginPhase(phase.name);
    std::string errors, failedStep;
    ScopedDiagnosticHandler handler(module.getContext(), [&](mlir::Diagnostic &diagnostic) {
      llvm::raw_string_ostream(errors)
          << plan::sourceOf(diagnostic.getLocation()) << ": " << diagnostic << "\n";
      return success();
    });
    PassManager passes(module.getContext());
    passes.addInstrumentation(
        std::make_unique<StepRecorder>(phase.name, result.times, options, failedStep));
    passes.addInstrumentation(std::make_unique<ChangeRecorder>(result.ledger, result.unanswered));
    passes.enableVerifier(options.verifyContracts && options.checksEachPass());
    PipelineBuilder pipeline(passes, holding, options);
    pipeline.kernelCosts = &result.kernelCosts;
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
    bool isWell =
        succeeded(passes.run(module)) &&
        (!options.verifyContracts || options.checksEachPass() || succeeded(verify(module)));
    if (!isWell) {
      if (pipeline.failure) {
        return *pipeline.failure;
      }
      std::string what = "phase `" + phase.name + "`: " + llvm::StringRef(errors).trim().str();
      if (!options.disabledPasses.empty()) {
        return diagnose(DiagnosticCode::PassNeeded,
                        "without `" + llvm::join(options.disabledPasses, "`, `") + "`, " + what);
      }
      return diagnose(codeOfFailure(failedStep), what);
    }
    if (Status status = dump(module, options, number, phase.name, result); !status) {
      return status;
    }
    if (Status status = checkSizes(phase.name, module); !status) {
      return status;
    }
    if (Status status = checkRequirements(phase.name, module, result); !status) {
      return status;
    }
    if (phase.name == "buffers") {
      if (Status status = checkMemory(module, options); !status) {
        return status;
      }
    }
    if (phase.name == options.stopAfter) {
      break;
    }
  }
  return Done{};
}

} // namespace drumlin
