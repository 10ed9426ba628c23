// drumlin diff: compares two plans, for people and for continuous integration.
#include "commands/Commands.h"

#include "commands/PrintedColours.h"
#include "commands/Printing.h"

#include "commands/CommandFiles.h"
#include "commands/CommandOptions.h"
#include "drumlin/driver/PlanDiff.h"
#include "drumlin/driver/backend/BackendChoice.h"
#include "drumlin/support/Threads.h"
#include "drumlin/support/diagnostics/RequirementErrors.h"

#include <cstdio>
#include <optional>

namespace drumlin::cli {

namespace {
// One side of the comparison: the lock in a file or an image, or the lock of a program that is
// planned now.
struct Side {
  std::string path;
  std::optional<PlanLock> lock;
  std::optional<Program> program;
  std::optional<Diagnostic> failure;

  Status read(const CompileOptions &options) {
    Result<std::shared_ptr<MappedFile>> file = readSource(path);
    if (file && isLockText((*file)->text())) {
      return take(parseLock((*file)->text(), path));
    }
    if (isImage(path)) {
      Result<std::string> text = lockOfImage(path);
      return text ? take(parseLock(*text, path)) : Status(text.error());
    }
    if (backendOf(*options.target)->plansItself()) {
      Result<EngineProgram> made = planEngine(path, options);
      if (!made) {
        return made.error();
      }
      lock = makeEngineLock(made->plan, programName(path), *made->engine);
      return Done{};
    }
    Result<Program> made = readProgram(path, options);
    if (!made) {
      return made.error();
    }
    program = std::move(*made);
    return Done{};
  }

  void plan(const CompileOptions &options) {
    if (!program) {
      return;
    }
    Result<PlannedProgram> planned = planProgram(std::move(*program), path, options);
    if (!planned) {
      failure = planned.error();
      return;
    }
    lock = planned->lock(programName(path));
  }

private:
  Status take(Result<PlanLock> made) {
    if (!made) {
      return made.error();
    }
    lock = std::move(*made);
    return Done{};
  }
};
} // namespace

struct DiffCommand {
  std::string before, after;
  bool exact = false, json = false;
  double tolerance = 0;
  ProgramOptions options;

  Status run() {
    if (Status status = options.takeNames(); !status) {
      return status;
    }
    Side old = {before, {}, {}, {}}, now = {after, {}, {}, {}};
    for (Side *side : {&old, &now}) {
      if (Status status = side->read(options); !status) {
        return status;
      }
    }
    // Two programs are planned concurrently, unless the options print phases. Only one of the
    // programs reports its progress.
    CompileOptions quiet = options;
    quiet.progress = {};
    HelperThreads other;
    if (other.start(1, [&] { old.plan(quiet); }) == 0) {
      old.plan(quiet);
    }
    if (!options.dumpPhases.empty() || !options.dumpPass.empty()) {
      other.join();
    }
    now.plan(options);
    other.join();
    for (const Side *side : {&old, &now}) {
      if (side->failure) {
        return *side->failure;
      }
    }
    std::vector<PlanDifference> differences = comparePlans(*old.lock, *now.lock, tolerance);
    if (json) {
      std::fprintf(printed(), "%s\n", planDiffJson(differences).c_str());
    } else {
      show(differences);
    }
    size_t worseOnes =
        llvm::count_if(differences, [](const PlanDifference &each) { return each.isWorse; });
    size_t counted = exact ? differences.size() : worseOnes;
    if (counted == 0) {
      return Done{};
    }
    return diagnose(errors::PlansDiffer,
                    "the plans have " + std::to_string(counted) +
                        (exact ? " differences" : " differences for the worse"),
                    after);
  }

private:
  static void show(const std::vector<PlanDifference> &differences) {
    bool colours = isColoured(printed());
    for (const PlanDifference &difference : differences) {
      std::string worse = difference.isWorse ? coloured("worse: ", Colour::Red, colours) : "";
      std::fprintf(printed(), "%s%s: %s\n", worse.c_str(),
                   coloured(difference.kind, Colour::Bold, colours).c_str(),
                   difference.text().c_str());
    }
    if (differences.empty()) {
      std::fprintf(printed(), "%s\n",
                   coloured("the plans are the same", Colour::Green, colours).c_str());
    }
  }
};

Command addDiff(CLI::App &app) {
  CLI::App *sub = addSubcommand(app, "diff", "compare two plans: fusions, types, copies, costs");
  auto command = std::make_shared<DiffCommand>();
  addOption(*sub, "before", command->before);
  addOption(*sub, "after", command->after);
  addOption(*sub, "--exact", command->exact);
  addOption(*sub, "--json", command->json);
  addOption(*sub, "--tolerance", command->tolerance);
  addCompileOptions(*sub, command->options);
  return {sub, [command] { return command->run(); }};
}

} // namespace drumlin::cli
