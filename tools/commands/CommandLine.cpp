#include "commands/CommandLine.h"

#include "commands/CommandFiles.h"
#include "commands/Commands.h"
#include "commands/OptionChecks.h"
#include "commands/OptionTable.h"
#include "commands/ParseErrors.h"
#include "commands/PrintedColours.h"
#include "commands/Printing.h"
#include "commands/Progress.h"
#include "commands/Reproducer.h"
#include "drumlin/driver/CompilerMemory.h"

#include <CLI/CLI.hpp>

#include <algorithm>
#include <cassert>
#include <cstdio>
#include <new>
#include <set>
#include <sstream>
#include <string_view>

namespace drumlin::cli {

static int finish(const Command &command, Diagnostic error) {
  const ExitStatus status = info(error.code).status;
  if (status == ExitStatus::InternalError && command.options) {
    std::string program = command.app->get_option("program")->as<std::string>();
    if (!isImage(program)) {
      error.remedy = reproducerRemedy(writeReproducer(program, *command.options, error));
    }
  }
  std::fflush(printed()); // the message may refer to this output
  std::fprintf(stderr, "%s\n", textFor(stderr, error).c_str());
  return static_cast<int>(status);
}

// Prints each warning once, since a command may compile several times.
static WarningFunction printWarnings() {
  auto printed = std::make_shared<std::set<std::string>>();
  return [printed](const Diagnostic &warning) {
    std::string text = textFor(stderr, warning, "warning");
    if (printed->insert(text).second) {
      clearProgress();
      std::fputs(text.c_str(), stderr);
    }
  };
}

std::vector<Command> addCommands(CLI::App &app, std::string_view named) {
  static constexpr std::pair<std::string_view, Command (*)(CLI::App &)> all[] = {
      {"compile", addCompile},
      {"run", addRun},
      {"bench", addBench},
      {"limits", addLimits},
      {"plan", addPlan},
      {"cost", addCost},
      {"why", addWhy},
      {"list-operators", addListOperators},
      {"diff", addDiff},
      {"convert", addConvert},
      {"check", addCheck},
      {"reduce", addReduce},
      {"targets", addTargets},
      {"print", addPrint},
      {"doctor", addDoctor},
      {"completion", addCompletion},
      {"list-options", addListOptions},
  };
  const OptionRow &help = optionOf("", "--help");
  app.set_help_flag(std::string(help.name), std::string(help.help));
  // The program's own options may also follow a command's name.
  app.fallthrough();
  addColourOption(app);
  const auto *found = std::ranges::find(all, named, [](const auto &each) { return each.first; });
  if (found != std::end(all)) {
    return {found->second(app)};
  }
  std::vector<Command> commands;
  for (const auto &[name, add] : all) {
    commands.push_back(add(app));
    assert(commands.back().app->get_name() == name);
  }
  return commands;
}

// Checks the command's options and files, then runs it.
static Status perform(const Command &command) {
  Status status = checkOptions(*command.app);
  if (status) {
    status = checkFiles(*command.app);
  }
  if (status && command.options) {
    status = command.options->takeNames();
  }
  return status ? command.action() : status;
}

static int runCommand(int argc, char **argv, const CompileOptions &defaults) {
  CLI::App app("drumlin: a machine-learning compiler for StableHLO", "drumlin");
  app.require_subcommand(1);
  app.set_version_flag("--version", programVersion);
  std::vector<Command> commands = addCommands(app, argc > 1 ? argv[1] : "");
  for (const Command &command : commands) {
    if (command.options) {
      command.options->addedPasses = defaults.addedPasses;
      command.options->progress = defaults.progress ? defaults.progress : terminalProgress();
      command.options->warn = printWarnings();
    }
  }
  try {
    app.parse(argc, argv);
  } catch (const CLI::ParseError &error) {
    if (error.get_exit_code() == 0) {
      return app.exit(error); // prints the requested help or version
    }
    Diagnostic fault = explain(app, error);
    std::fputs(textFor(stderr, fault).c_str(), stderr);
    return static_cast<int>(info(fault.code).status);
  }
  for (const Command &command : commands) {
    if (command.app->parsed()) {
      Status status = perform(command);
      clearProgress();
      if (!status) {
        return finish(command, status.error());
      }
    }
  }
  return 0;
}

Status parseWords(CLI::App &app, std::vector<std::string> words) {
  std::ranges::reverse(words); // CLI11 expects the last word first
  try {
    app.parse(std::move(words));
  } catch (const CLI::ParseError &error) {
    if (error.get_exit_code() != 0) {
      return explain(app, error);
    }
    std::ostringstream help, fault;
    app.exit(error, help, fault);
    std::fputs(help.str().c_str(), printed());
  }
  return Done{};
}

Status runWords(const std::vector<std::string> &words) {
  CLI::App app("drumlin: a machine-learning compiler for StableHLO", "drumlin");
  app.require_subcommand(1);
  std::vector<Command> commands = addCommands(app, words.empty() ? "" : words[0]);
  if (Status status = parseWords(app, words); !status) {
    return status;
  }
  for (const Command &command : commands) {
    if (command.app->parsed() && command.app->get_help_ptr()->count() == 0) {
      return perform(command);
    }
  }
  return Done{};
}

int runCommandLine(int argc, char **argv, const CompileOptions &defaults) {
  CompilerMemory memory;
  std::set_new_handler(EndsWithoutMemory::endNow); // applies to threads of the runtime, too
  occupyStandardStreams();
  TerminalText terminal;
  int result = runCommand(argc, argv, defaults);
  if (Status status = finishOutput(); !status) {
    std::fputs(textFor(stderr, status.error()).c_str(), stderr);
    // An earlier failure decides the status, since the user has to fix it first.
    return result != 0 ? result : static_cast<int>(ExitStatus::FileError);
  }
  return result;
}

int runCommandLine(int argc, char **argv) { return runCommandLine(argc, argv, {}); }

} // namespace drumlin::cli
