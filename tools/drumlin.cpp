// drumlin: compiles, runs, measures and explains StableHLO programs.
#include "commands/Commands.h"

#include "drumlin/support/AtomicFile.h"

#include <csignal>
#include <cstdio>
#include <unistd.h>

static void onInterrupt(int) {
  drumlin::removeTemporaries();
  _exit(static_cast<int>(drumlin::ExitStatus::Interrupted));
}

int main(int argc, char **argv) {
  std::signal(SIGINT, onInterrupt);
  std::signal(SIGTERM, onInterrupt);
  CLI::App app("drumlin: a machine-learning compiler for StableHLO", "drumlin");
  app.require_subcommand(1);
  app.set_version_flag("--version", "drumlin 0.1.0");
  std::vector<drumlin::cli::Command> commands = {
      drumlin::cli::addCompile(app), drumlin::cli::addRun(app), drumlin::cli::addBench(app),
      drumlin::cli::addPlan(app),    drumlin::cli::addWhy(app), drumlin::cli::addConvert(app),
  };
  try {
    app.parse(argc, argv);
  } catch (const CLI::ParseError &error) {
    int status = app.exit(error);
    return status == 0 ? 0 : static_cast<int>(drumlin::ExitStatus::Usage);
  }
  for (const drumlin::cli::Command &command : commands) {
    if (command.app->parsed()) {
      drumlin::Status status = command.action();
      if (!status) {
        std::fprintf(stderr, "%s\n", status.error().str().c_str());
        return static_cast<int>(drumlin::info(status.error().code).status);
      }
    }
  }
  return 0;
}
