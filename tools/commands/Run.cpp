// drumlin run: a program or an image, on given inputs.
#include "commands/Commands.h"

#include <cstdio>

namespace drumlin::cli {

struct RunCommand {
  std::string input, output, expected;
  std::vector<std::string> inputs;
  double tolerance = 1e-5;
  unsigned threads = 0;
  CompileOptions options;

  Status run() {
    std::unique_ptr<Executable> executable;
    LoadOptions load;
    load.threads = threads;
    if (isImage(input)) {
      Result<std::unique_ptr<Executable>> loaded = Executable::load(input, load);
      if (!loaded) {
        return loaded.error();
      }
      executable = std::move(*loaded);
    } else {
      Result<Program> program = readProgram(input);
      if (!program) {
        return program.error();
      }
      Result<Compilation> compilation = compile(*program->module, programName(input), options);
      if (!compilation) {
        return compilation.error();
      }
      Result<std::unique_ptr<Executable>> loaded = Executable::loadFromMemory(
          {reinterpret_cast<const std::byte *>(compilation->image.data()), compilation->image.size()}, input, load);
      if (!loaded) {
        return loaded.error();
      }
      executable = std::move(*loaded);
    }
    Result<std::vector<Tensor>> arguments = makeInputs(inputs, executable->arguments());
    if (!arguments) {
      return arguments.error();
    }
    Result<std::vector<Tensor>> results = executable->call(*arguments);
    if (!results) {
      return results.error();
    }
    if (!output.empty()) {
      if (Status status = writeOutputs(output, *results); !status) {
        return status;
      }
    }
    if (!expected.empty()) {
      return compareOutputs(expected, *results, tolerance);
    }
    return Done{};
  }
};

Command addRun(CLI::App &app) {
  CLI::App *sub = app.add_subcommand("run", "run a program or an image");
  auto command = std::make_shared<RunCommand>();
  sub->add_option("program", command->input, "a StableHLO program, or an image")->required();
  sub->add_option("--input", command->inputs,
                  "for each argument a .npy file, random:SEED, linspace:FIRST,LAST or zeros; or one .npz or .safetensors "
                  "file with in0, in1, … for all");
  sub->add_option("--output", command->output, "a .npz or .safetensors file, or a folder, for the results");
  sub->add_option("--expect", command->expected, "compare the results with out0, out1, … of this file");
  sub->add_option("--rtol", command->tolerance, "the relative tolerance of --expect")->capture_default_str();
  sub->add_option("--threads", command->threads, "threads that run the program (0: one for each processor)");
  addCompileOptions(*sub, command->options);
  return {sub, [command] { return command->run(); }};
}

} // namespace drumlin::cli
