// drumlin compile: a program to an image.
#include "commands/Commands.h"

#include "drumlin/support/AtomicFile.h"

#include <cstdio>

namespace drumlin::cli {

struct CompileCommand {
  std::string input, output;
  bool printTiming = false;
  CompileOptions options;

  Status run() {
    Result<Program> program = readProgram(input);
    if (!program) {
      return program.error();
    }
    Result<Compilation> compilation =
        compile(*program->module, programName(input), optionsFor(input, options));
    if (!compilation) {
      return compilation.error();
    }
    if (printTiming) {
      for (const StepTime &time : compilation->phases.times) {
        std::printf("%-10s %-20s %9.3f ms\n", time.phase.c_str(), time.step.c_str(),
                    time.milliseconds);
      }
      for (const CompiledKernel &kernel : compilation->kernels) {
        std::printf("kernel     %-20s %9.3f ms%s\n", kernel.name.c_str(), kernel.milliseconds,
                    kernel.fromCache ? " (cached)" : "");
      }
    }
    if (compilation->image.empty()) {
      if (Status status = writeFile(ledgerPath(output), compilation->phases.ledger.json());
          !status) {
        return status;
      }
      return writeFile(output, phaseText(*program->module));
    }
    return writeFile(output, compilation->image);
  }
};

Command addCompile(CLI::App &app) {
  CLI::App *sub = app.add_subcommand("compile", "compile a program to an image");
  auto command = std::make_shared<CompileCommand>();
  sub->add_option("program", command->input, "a StableHLO program")->required();
  sub->add_option("-o,--output", command->output, "the image")->required();
  sub->add_flag("--print-timing", command->printTiming, "print the time of every pass and kernel");
  addCompileOptions(*sub, command->options);
  addTuningOptions(*sub, command->options);
  return {sub, [command] { return command->run(); }};
}

} // namespace drumlin::cli
