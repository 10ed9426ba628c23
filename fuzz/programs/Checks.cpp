#include "Checks.h"

#include "drumlin/driver/Compiler.h"
#include "drumlin/driver/check/Check.h"
#include "drumlin/driver/check/ElementCheck.h"
#include "drumlin/driver/check/ForeignRun.h"
#include "drumlin/driver/check/RoundingAllowance.h"
#include "drumlin/export/Export.h"
#include "drumlin/import/Import.h"
#include "drumlin/interpreter/PlanOperations.h"
#include "drumlin/ir/plan/Entry.h"
#include "drumlin/ir/plan/KernelOp.h"
#include "drumlin/ir/plan/LaunchOp.h"
#include "drumlin/ir/plan/OperationClasses.h"
#include "drumlin/runtime/executable/TensorCall.h"
#include "drumlin/support/FloatFormats.h"
#include "drumlin/support/diagnostics/RequirementErrors.h"
#include "drumlin/support/diagnostics/UnsupportedErrors.h"
#include "drumlin/target/CpuTarget.h"
#include "drumlin/target/TargetNames.h"
#include "mlir/Pass/Pass.h"

#include <cmath>
#include <cstdlib>
#include <cstring>

namespace drumlin::fuzz {

using Tensors = std::vector<Tensor>;

// The factor by which the tolerance for a program's results exceeds the tolerance for one kernel's
// results, as in `drumlin check`.
static constexpr double wholeFactor = 10;

static std::string kindOf(const std::string &check, const Diagnostic &error) {
  return check + " " + std::string(info(error.code).id) + " " + std::string(info(error.code).name);
}

Result<Subject> Subject::make(Program program, mlir::MLIRContext &context) {
  Subject subject;
  Result<mlir::OwningOpRef<mlir::ModuleOp>> module =
      importText(program.text, "program.mlir", context);
  if (!module) {
    return module.error();
  }
  subject.module = std::move(*module);
  subject.arguments = program.makeArguments();
  Result<Tensors> expected = interpret(*subject.module, subject.arguments);
  if (!expected) {
    return expected.error();
  }
  subject.expected = std::move(*expected);
  subject.program = std::move(program);
  return subject;
}

mlir::OwningOpRef<mlir::ModuleOp> Subject::copy() const {
  return mlir::cast<mlir::ModuleOp>(module.get()->clone());
}

// Returns the first element whose bits differ, treating all NaNs as equal; -1 if there is none.
static int64_t firstDifference(const Tensor &got, const Tensor &expected) {
  if (std::memcmp(got.data(), expected.data(), static_cast<size_t>(got.bytes())) == 0) {
    return -1;
  }
  size_t width = storageBytes(got.type());
  for (int64_t i = 0; i < got.elements(); ++i) {
    const std::byte *a = got.data() + static_cast<size_t>(i) * width;
    const std::byte *b = expected.data() + static_cast<size_t>(i) * width;
    if (std::memcmp(a, b, width) != 0 &&
        !(isFloat(got.type()) && std::isnan(toDouble(got.type(), a)) &&
          std::isnan(toDouble(got.type(), b)))) {
      return i;
    }
  }
  return -1;
}

const Allowances &Subject::allowances() const {
  if (!knownAllowances) {
    // Programs here have no dynamic sizes; fuzz/sizes draws programs with dynamic sizes.
    Result<Allowances> made =
        allowancesOfWritten(*module, arguments, {}, {}, {}, manyRoundingEvaluations);
    knownAllowances = made ? std::move(*made) : Allowances(expected.size());
  }
  return *knownAllowances;
}

std::optional<std::string> Subject::compare(const Tensors &got, Counts &counts) const {
  for (size_t i = 0; i < expected.size(); ++i) {
    std::string which = "result " + std::to_string(i) + ": ";
    int64_t different = firstDifference(got[i], expected[i]);
    if (!program.resultIsRounded[i]) {
      counts.exactElements += got[i].elements();
      if (different >= 0) {
        ElementCheck check = checkElements(got[i], expected[i], {}, false);
        return which + "bits differ at element " + std::to_string(different) + "; " + check.str();
      }
      continue;
    }
    counts.roundedElements += got[i].elements();
    if (different < 0) {
      continue;
    }
    ElementCheck check = checkElements(got[i], expected[i], {}, false, wholeFactor);
    if (check.diverges) {
      counts.widenedElements += check.beyond;
      check = checkElements(got[i], expected[i], {}, false, wholeFactor, allowances()[i]);
    }
    if (check.diverges) {
      return which + check.str();
    }
  }
  return std::nullopt;
}

namespace {
// Interprets the program as it is at the end of a phase.
struct InterpretPass : mlir::PassWrapper<InterpretPass, mlir::OperationPass<mlir::ModuleOp>> {
  MLIR_DEFINE_EXPLICIT_INTERNAL_INLINE_TYPE_ID(InterpretPass)
  explicit InterpretPass(std::function<void(mlir::ModuleOp)> run) : run(std::move(run)) {}
  void runOnOperation() override { run(getOperation()); }
  std::function<void(mlir::ModuleOp)> run;
};
} // namespace

static void countRules(const Ledger &ledger, Counts &counts) {
  for (const LedgerEntry &entry : ledger.entries()) {
    ++counts.rules[entry.rule + " " + std::string(info(entry.reason).code)];
  }
}

// Counts the positions (hero, prologue, epilogue or loop) of all operations in their kernels, after
// placement.
static void countPlaces(mlir::ModuleOp placed, Counts &counts) {
  llvm::StringMap<bool> isInLoop;
  placed.walk([&](plan::LaunchOp launch) {
    bool inside = !mlir::isa<mlir::func::FuncOp>(launch->getParentOp());
    isInLoop[launch.getKernel()] |= inside;
  });
  for (auto kernel : placed.getOps<plan::KernelOp>()) {
    mlir::Block &body = kernel.getBody().front();
    mlir::Operation *hero = nullptr;
    for (mlir::Operation &op : body) {
      hero = classify(&op) == OperationClass::Hero ? &op : hero;
    }
    llvm::DenseMap<mlir::Operation *, bool> follows; // operations that follow the hero
    for (mlir::Operation &op : body.without_terminator()) {
      bool after = llvm::any_of(op.getOperands(), [&](mlir::Value operand) {
        mlir::Operation *from = operand.getDefiningOp();
        return from && (from == hero || follows.lookup(from));
      });
      follows[&op] = after;
      std::string place = &op == hero ? "hero" : !hero ? "loop" : after ? "epilogue" : "prologue";
      std::string name = op.getName().getStringRef().str() + " ";
      ++counts.places[name + place];
      if (isInLoop.lookup(kernel.getSymName())) {
        ++counts.places[name + "control"];
      }
    }
  }
}

std::optional<Finding> checkPhases(const Subject &subject, Counts &counts) {
  mlir::OwningOpRef<mlir::ModuleOp> module = subject.copy();
  std::optional<Finding> finding;
  CompileOptions options;
  for (const std::string &phase : phaseNames()) {
    auto run = [&, phase](mlir::ModuleOp program) {
      if (finding) {
        return;
      }
      InterpreterOptions interpreter;
      interpreter.table = &planOperations();
      Result<Tensors> results = interpret(entryFunction(program), subject.arguments, interpreter);
      if (!results) {
        finding = Finding{kindOf("phases/" + phase, results.error()), results.error().str()};
      } else if (auto difference = subject.compare(*results, counts)) {
        finding = Finding{"phases/" + phase + " differs", *difference};
      }
    };
    options.addedPasses.push_back(
        {phase, [run]() { return std::make_unique<InterpretPass>(run); }});
  }
  PhaseResult result;
  Status status = runPhases(*module, options, result);
  ++counts.checks["phases"];
  if (finding) {
    return finding;
  }
  if (!status) {
    return Finding{kindOf("phases", status.error()), status.error().str()};
  }
  if (!result.unanswered.empty()) {
    return Finding{"ledger", "no entry for " + llvm::join(result.unanswered, "; ")};
  }
  countRules(result.ledger, counts);
  countPlaces(*module, counts);
  return std::nullopt;
}

const std::vector<std::string> &cpuLevels() {
  static const std::vector<std::string> levels = [] {
    std::vector<std::string> runnable;
    Result<CpuTarget> native = cpuTargetFromName("native");
    for (const std::string &level : {"native", "avx512", "avx2", "baseline"}) {
      Result<CpuTarget> target = cpuTargetFromName(level);
      bool isHere =
          target && native && llvm::all_of(target->features, [&](const std::string &feature) {
            return llvm::is_contained(native->features, feature);
          });
      if (isHere) {
        runnable.push_back(level);
      }
    }
    return runnable;
  }();
  return levels;
}

const std::vector<std::string> &optionalPasses() {
  static const std::vector<std::string> names = [] {
    std::vector<std::string> all;
    for (const RuleInfo &rule : allRules()) {
      if (rule.kind == RuleKind::Decides) {
        all.emplace_back(rule.name);
      }
    }
    for (const char *pass :
         {"simplify-branches", "simplify-whiles", "unroll-whiles", "simplify-elementwise",
          "simplify-shapes", "simplify-slices", "simplify-dots", "fold-constants", "cse",
          "gemm-rewrite", "loop-fusion", "assign-layouts"}) {
      all.emplace_back(pass);
    }
    return all;
  }();
  return names;
}

// Runs the image, donating its donated arguments.
static Result<Tensors> runImage(const Compilation &compiled, const Subject &subject,
                                const LoadOptions &load) {
  auto executable = compiled.load("program", load);
  if (!executable) {
    return executable.error();
  }
  const std::vector<ValueDescription> &arguments = (*executable)->arguments();
  const std::vector<ValueDescription> &results = (*executable)->results();
  auto isLaidOut = [](const ValueDescription &value) { return !value.layout.empty(); };
  bool hasDonations =
      llvm::any_of(arguments, [](const ValueDescription &value) { return value.donatedTo >= 0; });
  if (!hasDonations || llvm::any_of(arguments, isLaidOut) || llvm::any_of(results, isLaidOut)) {
    return call(**executable, subject.arguments);
  }
  Tensors made, copies;
  for (const ValueDescription &result : results) {
    made.emplace_back(result.type, result.shape);
  }
  std::vector<const void *> from;
  for (size_t i = 0; i < arguments.size(); ++i) {
    copies.push_back(subject.arguments[i].clone());
    if (arguments[i].donatedTo >= 0) {
      made[static_cast<size_t>(arguments[i].donatedTo)] = copies[i];
    }
    from.push_back(copies[i].data());
  }
  std::vector<void *> to;
  for (Tensor &result : made) {
    to.push_back(result.data());
  }
  if (Status status = (*executable)->run({.args = from, .results = to}); !status) {
    return status.error();
  }
  return made;
}

// Returns a finding that names the faulty kernel, if `drumlin check` finds one.
static std::optional<Finding> checkLaunchByLaunch(const Subject &subject,
                                                  const CompileOptions &options,
                                                  const std::string &check) {
  CheckOptions checkOptions;
  checkOptions.threads = 1;
  mlir::OwningOpRef<mlir::ModuleOp> module = subject.copy();
  auto makeArguments = [&](const std::vector<ValueDescription> &) -> Result<Tensors> {
    return subject.arguments;
  };
  Result<CheckReport> report =
      checkProgram(*module, "program", options, checkOptions, makeArguments);
  Status status = report ? verdict(*report, "program") : Status(report.error());
  if (status) {
    return std::nullopt;
  }
  return Finding{kindOf(check, status.error()), status.error().str()};
}

std::optional<Finding> checkThreads(const Subject &subject, const std::string &level,
                                    Counts &counts) {
  CompileOptions options;
  options.target = *targetFromName(level);
  options.useCache = std::getenv("DRUMLIN_CACHE") != nullptr;
  options.threads = 1;
  const std::string check = "threads/" + level;
  mlir::OwningOpRef<mlir::ModuleOp> module = subject.copy();
  Result<Compilation> compiled = compile(*module, "program", options);
  if (!compiled) {
    return Finding{kindOf(check, compiled.error()), compiled.error().str()};
  }
  ++counts.checks[check];
  // Launches whose time isn't known are shared by all threads, however little they compute.
  for (KernelDescription &kernel : compiled->description.kernels) {
    kernel.secondsOfTile = 0;
  }
  std::optional<Tensors> first;
  for (unsigned threads : {1, 2, 3, 7, 16, 64}) {
    LoadOptions load;
    load.threads = 1;
    load.replayedThreads = threads;
    Result<Tensors> results = runImage(*compiled, subject, load);
    if (!results) {
      return Finding{kindOf(check, results.error()), results.error().str()};
    }
    if (!first) {
      first = std::move(*results);
      continue;
    }
    for (auto [i, tensor] : llvm::enumerate(*results)) {
      if (std::memcmp(tensor.data(), (*first)[i].data(), static_cast<size_t>(tensor.bytes())) !=
          0) {
        return Finding{check + " differs", "result " + std::to_string(i) + " has other bits on " +
                                               std::to_string(threads) + " threads than on one"};
      }
    }
  }
  return std::nullopt;
}

std::optional<Finding> checkNative(const Subject &subject, const NativeRun &how, Counts &counts) {
  CompileOptions options;
  options.target = *targetFromName(how.level);
  // Without DRUMLIN_CACHE, no cache is used: programs don't belong in the user's cache.
  options.useCache = std::getenv("DRUMLIN_CACHE") != nullptr;
  options.threads = 1;
  std::string check = "native/" + how.level;
  if (how.effort) {
    options.level = *how.effort;
    check += " -O" + std::to_string(*how.effort);
  }
  if (!how.disabled.empty()) {
    options.disabledPasses.push_back(how.disabled);
    check = "without/" + how.disabled;
  }
  mlir::OwningOpRef<mlir::ModuleOp> module = subject.copy();
  Result<Compilation> compiled = compile(*module, "program", options);
  if (!compiled) {
    if (compiled.error().code == errors::PassNeeded) {
      ++counts.skipped[check + " is needed"];
      return std::nullopt;
    }
    return Finding{kindOf(check, compiled.error()), compiled.error().str()};
  }
  ++counts.checks[check];
  LoadOptions load;
  load.threads = 1 + static_cast<unsigned>(subject.program.seed % 3);
  Result<Tensors> results =
      how.runner.empty() ? runImage(*compiled, subject, load)
                         : runElsewhere(how.runner, *compiled, subject.arguments, load.threads);
  if (!results) {
    return Finding{kindOf(check, results.error()), results.error().str()};
  }
  std::optional<std::string> difference = subject.compare(*results, counts);
  // The tolerance for a whole program's results is wide and may hide faults of kernels. So if
  // results are rounded, the kernels are also compared one by one.
  if (how.runner.empty() && (difference || !subject.program.isExact())) {
    if (auto finding = checkLaunchByLaunch(subject, options, check)) {
      if (difference) {
        finding->message += *difference;
      }
      return finding;
    }
  }
  if (difference) {
    return Finding{check + " differs", *difference};
  }
  return std::nullopt;
}

std::optional<Finding> checkFormats(const Subject &subject, Counts &counts) {
  auto textOf = [](mlir::ModuleOp module) {
    ExportOptions options;
    options.format = ProgramFormat::Text;
    return exportProgram(module, options);
  };
  mlir::OwningOpRef<mlir::ModuleOp> written = subject.copy();
  Result<std::string> expected = textOf(*written);
  if (!expected) {
    return Finding{kindOf("formats/text", expected.error()), expected.error().str()};
  }
  for (auto [format, name] : {std::pair{ProgramFormat::Text, "formats/text"},
                              std::pair{ProgramFormat::Bytecode, "formats/bytecode"},
                              std::pair{ProgramFormat::Artifact, "formats/artifact"}}) {
    mlir::OwningOpRef<mlir::ModuleOp> module = subject.copy();
    ExportOptions options;
    options.format = format;
    Result<std::string> bytes = exportProgram(*module, options);
    if (!bytes && bytes.error().code == errors::ArtifactUnsupported) {
      ++counts.skipped["formats/artifact of CHLO"];
      continue;
    }
    if (!bytes) {
      return Finding{kindOf(name, bytes.error()), bytes.error().str()};
    }
    Result<mlir::OwningOpRef<mlir::ModuleOp>> again =
        importText(*bytes, "program.mlir", *subject.module.get()->getContext());
    if (!again) {
      return Finding{kindOf(name, again.error()), again.error().str()};
    }
    if (format == ProgramFormat::Artifact) {
      // Reading an artifact drops default attributes: the text differs, the program doesn't.
      Result<Tensors> results = interpret(**again, subject.arguments);
      std::optional<std::string> difference =
          results ? subject.compare(*results, counts) : results.error().str();
      Result<std::string> twice = exportProgram(**again, options);
      if (!difference && (!twice || *twice != *bytes)) {
        difference = "writing the reread program gives different bytes";
      }
      if (difference) {
        return Finding{std::string(name) + " differs", *difference};
      }
      continue;
    }
    Result<std::string> text = textOf(**again);
    if (!text || *text != *expected) {
      return Finding{std::string(name) + " differs",
                     text ? "the program's text differs" : text.error().str()};
    }
  }
  ++counts.checks["formats"];
  return std::nullopt;
}

} // namespace drumlin::fuzz
