// drumlin reduce: shrinks a program that shows a fault.
#include "commands/CommandOptions.h"
#include "commands/Commands.h"

#include "commands/Printing.h"

#include "commands/Progress.h"
#include "drumlin/driver/reduce/ArgumentNumbers.h"
#include "drumlin/driver/reduce/Conditions.h"
#include "drumlin/driver/reduce/Reducer.h"
#include "drumlin/export/Export.h"
#include "drumlin/import/Import.h"
#include "drumlin/support/AtomicFile.h"
#include "drumlin/support/diagnostics/OptionErrors.h"

#include <chrono>
#include <csignal>
#include <cstdio>
#include <filesystem>
#include <sys/stat.h>
#include <unistd.h>

namespace drumlin::cli {

static volatile std::sig_atomic_t isInterrupted = 0;

// Handles a signal. The first signal ends the search, whose best program is then written. A second
// signal ends the process.
static void onReduceInterrupt(int) {
  if (isInterrupted) {
    removeTemporaries();
    _exit(static_cast<int>(ExitStatus::Interrupted));
  }
  isInterrupted = 1;
}

static void listenForInterrupts() {
  // The flag SA_RESTART isn't set, so that a signal interrupts the wait for a child.
  struct sigaction action = {};
  action.sa_handler = onReduceInterrupt;
  sigaction(SIGINT, &action, nullptr);
  sigaction(SIGTERM, &action, nullptr);
}

namespace {
// A temporary kernel cache. Candidates' kernels don't belong in the user's cache, but most kernels
// of a candidate recur in the next one.
class CandidateCache {
public:
  explicit CandidateCache(CompileOptions &options) {
    std::error_code error;
    std::string name = "drumlin-reduce-" + std::to_string(getpid());
    folder = std::filesystem::temp_directory_path(error) / name;
    if (options.useCache && !error && mkdir(folder.c_str(), 0700) == 0) {
      options.cacheDirectory = folder.string();
    } else {
      options.useCache = false;
      folder.clear();
    }
  }
  ~CandidateCache() {
    std::error_code error;
    if (!folder.empty()) {
      std::filesystem::remove_all(folder, error);
    }
  }

private:
  std::filesystem::path folder;
};
} // namespace

static bool hasLocations(mlir::ModuleOp module) {
  bool hasAny = false;
  module->walk([&](mlir::Operation *op) {
    hasAny |= !mlir::isa<mlir::UnknownLoc>(op->getLoc());
    for (mlir::Region &region : op->getRegions()) {
      for (mlir::BlockArgument argument : region.getArguments()) {
        hasAny |= !mlir::isa<mlir::UnknownLoc>(argument.getLoc());
      }
    }
  });
  return hasAny;
}

struct ReduceCommand {
  std::string input, output, command;
  bool whileDiffers = false, whileFails = false;
  std::vector<std::string> inputs;
  FaultOptions faults;
  ReduceOptions reducing;
  ProgramOptions options;

  Status run() {
    Result<Program> program = readProgram(input, options, ProgramUse::Edited);
    if (!program) {
      return program.error();
    }
    listenForInterrupts();
    auto isStopped = [] { return isInterrupted != 0; };
    reducing.isStopped = faults.isStopped = isStopped;
    reducing.progress = options.progress;
    Status status =
        command.empty() ? reduceFault(*program->module) : reduceByCommand(*program->module);
    if (isInterrupted) {
      clearProgress();
      std::exit(static_cast<int>(ExitStatus::Interrupted));
    }
    return status;
  }

private:
  Status reduceByCommand(mlir::ModuleOp module) {
    std::optional<Diagnostic> failure;
    auto isInteresting = [&](mlir::ModuleOp candidate) {
      Result<bool> ended = runCommand(candidate, command, faults.seconds, faults.isStopped);
      if (!ended) {
        failure = ended.error();
      }
      return ended && *ended;
    };
    Status status = reduceAndWrite(module, isInteresting,
                                   "the command doesn't end with status 0 for the program");
    return failure ? Status(*failure) : std::move(status);
  }

  Status reduceFault(mlir::ModuleOp module) {
    prepareChecks();
    if (options.weightsFile.empty()) {
      Result<std::vector<Tensor>> made = makeInputs(inputs, describeArguments(module, 0));
      if (!made && !whileFails) {
        return made.error();
      }
    }
    CandidateCache cache(faults.compilation);
    FaultSearch search = whileFails ? FaultSearch::Compile : FaultSearch::Check;
    auto begin = std::chrono::steady_clock::now();
    ProgramFault fault = find(module, search);
    std::chrono::duration<double> taken = std::chrono::steady_clock::now() - begin;
    using Kind = ProgramFault::Kind;
    if (fault.kind == Kind::None || (whileDiffers && fault.kind != Kind::Differs)) {
      const char *expected = whileFails     ? "compilation doesn't fail"
                             : whileDiffers ? "native code doesn't differ from the interpreter"
                                            : "compilation doesn't fail, and native code doesn't "
                                              "differ from the interpreter";
      return diagnose(errors::FaultNotShown,
                      fault.kind == Kind::None ? std::string(expected)
                                               : expected + (": " + fault.str()),
                      input);
    }
    // If the fault already shows when the program is compiled, candidates are only compiled, which
    // takes less time.
    if (search == FaultSearch::Check && fault.kind != Kind::Differs &&
        find(module, FaultSearch::Compile) == fault) {
      search = FaultSearch::Compile;
    }
    clearProgress();
    std::fprintf(stderr, "%s\n", visibleText(input + ": " + fault.str()).c_str());
    // Shortens the time limit, so that less time is spent on candidates that hang.
    if (fault.kind != Kind::TimesOut) {
      constexpr double least = 2, factor = 20;
      faults.seconds = std::min(faults.seconds, std::max(least, factor * taken.count()));
    }
    return reduceAndWrite(
        module,
        [&](mlir::ModuleOp candidate) { return findFault(candidate, search, faults) == fault; },
        "the program shows the fault only sometimes");
  }

  ProgramFault find(mlir::ModuleOp module, FaultSearch search) const {
    mlir::OwningOpRef<mlir::ModuleOp> copy = mlir::cast<mlir::ModuleOp>(module->clone());
    numberArguments(*copy);
    return findFault(*copy, search, faults);
  }

  void prepareChecks() {
    faults.compilation = optionsFor(input, options);
    faults.compilation.progress = {};
    faults.compilation.dumpPhases.clear();
    faults.compilation.dumpPass.clear();
    faults.compilation.dumpLlvm.clear();
    faults.makeArguments = [this](const std::vector<ValueDescription> &arguments,
                                  const std::vector<std::optional<unsigned>> &numbers) {
      return makeInputs(inputs, arguments, numbers);
    };
  }

  Status reduceAndWrite(mlir::ModuleOp module, IsInteresting isInteresting, const char *notShown) {
    ReduceReport report;
    Result<mlir::OwningOpRef<mlir::ModuleOp>> reduced =
        reduceProgram(module, reducing, isInteresting, &report);
    if (!reduced) {
      return diagnose(reduced.error().code, notShown, input);
    }
    if (Status status = write(**reduced); !status) {
      return status;
    }
    clearProgress();
    using End = ReduceReport::End;
    std::fprintf(stderr, "reduced %lld operations to %lld in %lld tries, %.1f s%s\n",
                 static_cast<long long>(report.operationsBefore),
                 static_cast<long long>(report.operationsAfter),
                 static_cast<long long>(report.tries), report.seconds,
                 report.end == End::MaxTries  ? "; `--max-tries` ended it"
                 : report.end == End::Stopped ? "; it was interrupted"
                                              : "");
    return Done{};
  }

  Status write(mlir::ModuleOp module) const {
    std::string text;
    if (hasLocations(module)) {
      // The output has locations, since the fault may depend on names or locations.
      llvm::raw_string_ostream stream(text);
      module->print(stream, mlir::OpPrintingFlags().enableDebugInfo(true));
      stream << "\n";
    } else {
      Result<std::string> made = exportProgram(module, {ProgramFormat::Text});
      if (!made) {
        return made.error();
      }
      text = std::move(*made);
    }
    if (!output.empty()) {
      return writeFile(output, text);
    }
    std::fputs(text.c_str(), printed());
    return Done{};
  }
};

Command addReduce(CLI::App &app) {
  CLI::App *sub = addSubcommand(app, "reduce", "shrink a program that shows a fault");
  auto command = std::make_shared<ReduceCommand>();
  addOption(*sub, "program", command->input);
  CLI::Option *byCommand = addOption(*sub, "--while", command->command);
  CLI::Option *differs = addOption(*sub, "--while-differs", command->whileDiffers);
  exclude(differs, {byCommand});
  exclude(addOption(*sub, "--while-fails", command->whileFails), {byCommand, differs});
  addOption(*sub, "--output", command->output);
  addOption(*sub, "--max-tries", command->reducing.maxTries);
  addOption(*sub, "--timeout", command->faults.seconds);
  addOption(*sub, "--input", command->inputs);
  addOption(*sub, "--rtol", command->faults.checking.tolerance.relative);
  addOption(*sub, "--ulps", command->faults.checking.tolerance.ulps);
  addOption(*sub, "--threads", command->faults.checking.threads);
  addOption(*sub, "--max-memory", command->faults.checking.maxMemory);
  addCompileOptions(*sub, command->options);
  addTuningOptions(*sub, command->options);
  return {sub, [command] { return command->run(); }, &command->options};
}

} // namespace drumlin::cli
