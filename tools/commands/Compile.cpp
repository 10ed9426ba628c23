// drumlin compile: compiles a program to an image.
#include "commands/CommandOptions.h"
#include "commands/Commands.h"

#include "commands/CommandFiles.h"
#include "commands/Printing.h"
#include "commands/Progress.h"
#include "drumlin/runtime/executable/Publication.h"

#include <chrono>
#include <cstdio>

namespace drumlin::cli {

static std::string sizeText(size_t bytes) {
  char text[32];
  if (bytes < 1000 * 1000) {
    std::snprintf(text, sizeof(text), "%.1f kB", static_cast<double>(bytes) / 1e3);
  } else if (bytes < size_t(1000) * 1000 * 1000) {
    std::snprintf(text, sizeof(text), "%.1f MB", static_cast<double>(bytes) / 1e6);
  } else {
    std::snprintf(text, sizeof(text), "%.1f GB", static_cast<double>(bytes) / 1e9);
  }
  return text;
}

Status writeCompilation(mlir::ModuleOp module, const Compilation &compilation,
                        const std::string &output) {
  if (compilation.image.empty()) {
    return writeTogether({{ledgerPath(output), compilation.phases.ledger.json()},
                          {output, phaseText(module, compilation.phases.operations)}});
  }
  return publishImage(output, compilation.image, compilation.description,
                      [&](size_t number) { return compilation.storedWeight(number); });
}

struct CompileCommand {
  std::string input, output;
  bool printTiming = false;
  ProgramOptions options;

  Status run() {
    auto begin = std::chrono::steady_clock::now();
    Result<Program> program = readProgram(input, options);
    if (!program) {
      return program.error();
    }
    CompileOptions given = optionsFor(input, options);
    given.measureMemory = printTiming;
    Result<Compilation> compilation = compile(*program->module, programName(input), given);
    if (!compilation) {
      return compilation.error();
    }
    if (Status written = writeCompilation(*program->module, *compilation, output); !written) {
      return written;
    }
    clearProgress();
    if (printTiming) {
      printTimes(*compilation);
    }
    std::chrono::duration<double> taken = std::chrono::steady_clock::now() - begin;
    // Prints a summary only for a regular file: other outputs may be the terminal itself.
    if (!compilation->image.empty() && isRegularFile(output)) {
      summarize(*compilation, taken.count());
    }
    return Done{};
  }

private:
  static void printTimes(const Compilation &compilation) {
    std::fprintf(printed(), "%-10s %-20s %12s %14s %12s\n", "phase", "pass", "time", "memory",
                 "peak");
    int64_t before =
        compilation.phases.times.empty() ? 0 : compilation.phases.times.front().peakKilobytes;
    for (const StepTime &time : compilation.phases.times) {
      std::fprintf(printed(), "%-10s %-20s %9.3f ms %+10.1f MiB %8.1f MiB\n", time.phase.c_str(),
                   time.step.c_str(), time.milliseconds,
                   static_cast<double>(time.peakKilobytes - before) / 1024,
                   static_cast<double>(time.peakKilobytes) / 1024);
      before = std::max(before, time.peakKilobytes);
    }
    for (const CompiledKernel &kernel : compilation.kernels) {
      std::fprintf(printed(), "kernel     %-20s %9.3f ms%s\n", kernel.name.c_str(),
                   kernel.milliseconds, kernel.fromCache ? " (cached)" : "");
    }
  }

  void summarize(const Compilation &compilation, double seconds) const {
    size_t cached = 0;
    for (const CompiledKernel &kernel : compilation.kernels) {
      cached += kernel.fromCache;
    }
    size_t kernels = compilation.kernels.size();
    std::string text = std::to_string(kernels) + (kernels == 1 ? " kernel" : " kernels");
    text += cached ? " (" + std::to_string(cached) + " from the cache)" : "";
    std::string weights = compilation.description.weightsFileBytes
                              ? ", weights " + sizeText(compilation.description.weightsFileBytes)
                              : "";
    weights += compilation.description.hasWeightsInPlace() ? " in place" : "";
    std::fprintf(printed(), "compiled %s: %s in %.2f s, image %s%s\n",
                 compilation.description.program.c_str(), text.c_str(), seconds,
                 sizeText(compilation.image.size() + compilation.description.appendedBytes).c_str(),
                 weights.c_str());
  }
};

Command addCompile(CLI::App &app) {
  CLI::App *sub = addSubcommand(app, "compile", "compile a program to an image");
  auto command = std::make_shared<CompileCommand>();
  addOption(*sub, "program", command->input);
  addOption(*sub, "--output", command->output);
  addOption(*sub, "--print-timing", command->printTiming);
  addCompileOptions(*sub, command->options);
  addTuningOptions(*sub, command->options);
  return {sub, [command] { return command->run(); }, &command->options};
}

} // namespace drumlin::cli
