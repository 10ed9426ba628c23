// drumlin check: the compiled program against the interpreter, launch by launch.
#include "commands/Commands.h"

#include "commands/Printing.h"

#include "drumlin/driver/check/Check.h"

#include <cstdio>

namespace drumlin::cli {

struct CheckCommand {
  std::string input;
  std::vector<std::string> inputs = {"random:1"};
  double tolerance = -1;
  int64_t ulps = -1;
  uint64_t maxMemory = uint64_t(1) << 34;
  bool json = false;
  CheckOptions checking;
  ProgramOptions options;

  Status run() {
    Result<Program> program = readProgram(input);
    if (!program) {
      return program.error();
    }
    if (tolerance >= 0) {
      checking.tolerance.relative = tolerance;
    }
    if (ulps >= 0) {
      checking.tolerance.ulps = ulps;
    }
    checking.maxMemory = static_cast<int64_t>(maxMemory);
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
  CLI::App *sub = app.add_subcommand(
      "check", "compare a compiled program with the interpreter, kernel by kernel");
  auto command = std::make_shared<CheckCommand>();
  sub->add_option("program", command->input, "a StableHLO or HLO program")->required();
  sub->add_option("--input", command->inputs, "as for `drumlin run`")->capture_default_str();
  sub->add_option("--rtol", command->tolerance,
                  "how far elements may lie apart, relative to their size (default: by type)")
      ->check(CLI::NonNegativeNumber);
  sub->add_option("--ulps", command->ulps,
                  "how many units in the last place elements may lie apart (default: by type)")
      ->check(CLI::NonNegativeNumber);
  sub->add_option("--threads", command->checking.threads,
                  "threads that run the native code (0: one for each processor)")
      ->check(CLI::Range(0u, maxThreads));
  sub->add_option("--max-memory", command->maxMemory,
                  "the most bytes that the interpreter's values may take together, such as 4GB "
                  "(default 16GB)")
      ->transform(CLI::AsSizeValue(false))
      ->check(CLI::Range(uint64_t(0), uint64_t(1) << 62));
  sub->add_flag("--check-ranges", command->checking.checksRanges,
                "count what `--auto-cast` rounds out of its type's range, or to zero");
  sub->add_flag("--json", command->json, "as JSON");
  addCompileOptions(*sub, command->options);
  addTuningOptions(*sub, command->options);
  return {sub, [command] { return command->run(); }, &command->options};
}

} // namespace drumlin::cli
