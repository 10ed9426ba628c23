// drumlin plan, drumlin why: what the compiler made of a program, and why.
#include "commands/Commands.h"

#include "drumlin/runtime/executable/ImageFile.h"

#include <cstdio>

namespace drumlin::cli {

struct ShowCommand {
  std::string input;
  bool json = false;
  CompileOptions options;

  Status plan() {
    if (isImage(input)) {
      Result<ImageDescription> image = readImageDescription(input);
      if (!image) {
        return image.error();
      }
      std::printf("%s\n", image->plan.c_str());
      return Done{};
    }
    Result<Program> program = readProgram(input);
    if (!program) {
      return program.error();
    }
    if (options.stopAfter.empty()) {
      options.stopAfter = "schedule";
    }
    Result<Compilation> compilation =
        compile(*program->module, programName(input), optionsFor(input, options));
    if (!compilation) {
      return compilation.error();
    }
    std::printf("%s\n", compilation->planText.c_str());
    return Done{};
  }

  Status why() {
    Result<Program> program = readProgram(input);
    if (!program) {
      return program.error();
    }
    PhaseResult phases;
    if (Status status = runPhases(*program->module, optionsFor(input, options), phases); !status) {
      return status;
    }
    if (json) {
      std::printf("%s\n", phases.ledger.json().c_str());
      return Done{};
    }
    for (const LedgerEntry &entry : phases.ledger.entries()) {
      std::printf("%s\n", Ledger::text(entry).c_str());
    }
    return Done{};
  }
};

Command addPlan(CLI::App &app) {
  CLI::App *sub = app.add_subcommand("plan", "print the optimized program");
  auto command = std::make_shared<ShowCommand>();
  sub->add_option("program", command->input, "a StableHLO program, or an image")->required();
  addCompileOptions(*sub, command->options);
  return {sub, [command] { return command->plan(); }};
}

Command addWhy(CLI::App &app) {
  CLI::App *sub = app.add_subcommand("why", "print every decision with its reason");
  auto command = std::make_shared<ShowCommand>();
  sub->add_option("program", command->input, "a StableHLO program")->required();
  sub->add_flag("--json", command->json, "as JSON");
  addCompileOptions(*sub, command->options);
  return {sub, [command] { return command->why(); }};
}

} // namespace drumlin::cli
