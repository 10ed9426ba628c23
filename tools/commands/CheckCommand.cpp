// drumlin check: compares the compiled program with the interpreter, launch by launch.
#include "commands/CommandOptions.h"
#include "commands/Commands.h"
#include "commands/CustomCalls.h"

#include "commands/Printing.h"

#include "drumlin/driver/check/Check.h"

#include <cstdio>

namespace drumlin::cli {

struct CheckCommand {
  std::string input;
  std::vector<std::string> inputs, customCalls;
  bool json = false;
  CheckOptions checking;
  ProgramOptions options;

  Status run() {
    if (Status status = registerCustomCalls(customCalls); !status) {
      return status;
    }
    Result<Program> program = readProgram(input, options);
    if (!program) {
      return program.error();
    }
    checking.progress = options.progress;
    Result<CheckReport> report =
        checkProgram(*program->module, programName(input), optionsFor(input, options), checking,
                     [&](const std::vector<ValueDescription> &arguments) {
                       return makeInputs(inputs, arguments);
                     });
    if (!report) {
      return report.error();
    }
    std::string text = json ? checkJson(*report) + "\n" : checkText(*report);
    std::fputs(text.c_str(), printed());
    return verdict(*report, input);
  }
};

Command addCheck(CLI::App &app) {
  CLI::App *sub = addSubcommand(
      app, "check", "compare a compiled program with the interpreter, kernel by kernel");
  auto command = std::make_shared<CheckCommand>();
  addOption(*sub, "program", command->input);
  addOption(*sub, "--input", command->inputs);
  addOption(*sub, "--custom-call", command->customCalls);
  addOption(*sub, "--rtol", command->checking.tolerance.relative);
  addOption(*sub, "--ulps", command->checking.tolerance.ulps);
  addOption(*sub, "--threads", command->checking.threads);
  addOption(*sub, "--max-memory", command->checking.maxMemory);
  addOption(*sub, "--check-ranges", command->checking.checksRanges);
  addOption(*sub, "--json", command->json);
  addCompileOptions(*sub, command->options);
  addTuningOptions(*sub, command->options);
  return {sub, [command] { return command->run(); }, &command->options};
}

} // namespace drumlin::cli
