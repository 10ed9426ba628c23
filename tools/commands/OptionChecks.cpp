#include "commands/OptionChecks.h"

#include "commands/CommandFiles.h"
#include "commands/Commands.h"
#include "commands/OptionTable.h"
#include "drumlin/driver/Phases.h"
#include "drumlin/support/diagnostics/OptionErrors.h"
#include "drumlin/target/LibraryCall.h"
#include "drumlin/target/TargetNames.h"

#include <CLI/CLI.hpp>

#include <algorithm>
#include <cstdlib>

namespace drumlin::cli {

namespace {
struct Situation {
  unsigned work;
  const char *text, *remedy;
};
} // namespace

static bool isGiven(const CLI::App &app, const std::string &name) {
  const CLI::Option *option = app.get_option_no_throw(name);
  return option && option->count() > 0;
}

static std::string valueOf(const CLI::App &app, const std::string &name) {
  return isGiven(app, name) ? app.get_option(name)->as<std::string>() : "";
}

// Returns whether the file is an image or a plan lock.
static bool isRecorded(const std::string &path) {
  Result<std::shared_ptr<MappedFile>> file = readSource(path);
  return isImage(path) || (file && isLockText((*file)->text()));
}

static Situation situationOf(const CLI::App &app) {
  const std::string &command = app.get_name();
  const Situation recorded = {Work::Recorded, "for a recorded plan",
                              "leave it out, or pass the program itself"};
  const Situation engine = {Work::Engine, "for a tensor engine",
                            "leave it out, or leave `--target` out"};
  const Situation plan = {Work::Plan, "if a program is only planned",
                          "leave it out, or use a command that generates code"};
  std::string target = valueOf(app, "--target");
  bool isOfTarget =
      command == "plan" || command == "cost" || command == "why" || command == "list-operators";
  auto situationOn = [&] {
    Result<TargetPtr> named = targetFromName(target);
    return named && llvm::isa<GpuTarget>(**named)
               ? Situation{Work::Library, "for plans of library calls",
                           "leave it out, or leave `--target` out"}
               : engine;
  };
  if (isOfTarget && !target.empty()) {
    return situationOn();
  }
  if (command == "list-operators" || command == "limits" || command == "convert" ||
      command == "targets" || command == "print" || command == "doctor" ||
      command == "completion" || command == "list-options") {
    return {command == "list-operators" ? unsigned(Work::List) : unsigned(Work::Any), "here",
            "leave it out"};
  }
  if (command == "diff") {
    bool areRecorded = isRecorded(valueOf(app, "before")) && isRecorded(valueOf(app, "after"));
    if (areRecorded) {
      return recorded;
    }
    return target.empty() ? plan : situationOn();
  }
  std::string program = valueOf(app, "program");
  if (command == "check" || command == "reduce") {
    return {Work::Code, "if native code is checked", "leave it out"};
  }
  if ((command == "plan" || command == "why") && isImage(program)) {
    return recorded;
  }
  if (command == "plan" || command == "cost" || command == "why") {
    return plan;
  }
  bool stops = isGiven(app, "--stop-after");
  if (isGiven(app, "--interpret") && !stops) {
    return {Work::Interpretation, "if the program is interpreted before any phase",
            "leave it out, or leave `--interpret` out; with `--stop-after` the program is "
            "interpreted after that phase"};
  }
  if (isImage(program)) {
    return {Work::Image, "for an image, which is already compiled",
            "leave it out, or pass the program that the image was compiled from"};
  }
  if (isGiven(app, "--interpret") || (stops && command == "compile")) {
    return {Work::Phases, "if no native code is generated",
            "leave it out, or leave "
            "`--stop-after` out"};
  }
  return {Work::Code, "if native code runs", "leave it out, or add `--interpret`"};
}

// Returns the phase's position in the order of phases, counted from 1. Returns 0 for `import`, and
// a position after the last phase for an unknown name.
static size_t phaseNumber(std::string_view name) {
  if (name == "import") {
    return 0;
  }
  auto found = llvm::find(phaseNames(), name);
  return static_cast<size_t>(found - phaseNames().begin()) + 1;
}

// Returns whether the options allow schedules to be measured.
static bool measures(const CLI::App &app) {
  std::string tune = valueOf(app, "--tune");
  return tune.empty() ? valueOf(app, "--optimization-level") == "3" : tune == "on";
}

Status checkOptions(const CLI::App &app) {
  Situation situation = situationOf(app);
  std::string from = valueOf(app, "--start-from"), until = valueOf(app, "--stop-after");
  for (const CLI::Option *option : app.get_options()) {
    std::string name = option->get_name();
    const OptionRow &row = optionOf(app.get_name(), name);
    // Environment variables apply to all commands. A command ignores an option from such a variable
    // if the option has no effect.
    bool isOfEnvironment =
        !option->get_envname().empty() && std::getenv(option->get_envname().c_str());
    if (option->count() == 0 || isOfEnvironment) {
      continue;
    }
    if ((row.where & situation.work) == 0) {
      return diagnose(errors::OptionMeaningless, "`" + name + "` has no effect " + situation.text,
                      name, situation.remedy);
    }
    if (name == "--time-budget" && !measures(app)) {
      return diagnose(errors::OptionMeaningless,
                      "`--time-budget` has no effect if no schedules are measured", name,
                      "leave it out, or add `-O3` or `--tune=on`");
    }
    std::string other(row.needs);
    if (!other.empty() && !isGiven(app, other)) {
      return diagnose(errors::OptionMeaningless,
                      "`" + name + "` has no effect without `" + other + "`", name,
                      "leave it out, or add `" + other + "`");
    }
    if (row.firstPhase.empty()) {
      continue;
    }
    bool isBefore = !from.empty() && phaseNumber(from) >= phaseNumber(row.firstPhase);
    bool isBehind = !until.empty() && phaseNumber(until) < phaseNumber(row.lastPhase);
    if (isBefore || isBehind) {
      return diagnose(errors::OptionMeaningless,
                      "`" + name + "` has no effect if phase `" +
                          std::string(isBefore ? row.firstPhase : row.lastPhase) + "` doesn't run",
                      name,
                      std::string("leave it out, or leave `") +
                          (isBefore ? "--start-from" : "--stop-after") + "` out");
    }
  }
  return Done{};
}

} // namespace drumlin::cli
