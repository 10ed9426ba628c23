// drumlin run: a program or an image, on given inputs.
#include "commands/Commands.h"

#include "commands/Printing.h"
#include "commands/Trace.h"

#include "drumlin/driver/check/RangeCheck.h"
#include "drumlin/interpreter/Grid.h"
#include "drumlin/interpreter/PlanOperations.h"
#include "drumlin/ir/plan/Entry.h"
#include "drumlin/support/AtomicFile.h"
#include "drumlin/transforms/entry/Weights.h"

#include <cstdio>

namespace drumlin::cli {

struct RunCommand {
  std::string input, output, expected, profile;
  std::vector<std::string> inputs;
  double tolerance = 1e-5;
  unsigned threads = 0;
  bool interpreted = false, checksRanges = false;
  InterpreterOptions interpreter;
  uint64_t maxMemory = static_cast<uint64_t>(interpreter.maxMemory);
  bool roundsEachSum = false;
  interpreter::GridShape grid;
  ProgramOptions options;

  Status run() {
    Result<std::vector<Tensor>> results = interpreted ? interpretProgram() : runNative();
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

private:
  Result<std::vector<Tensor>> runNative() {
    LoadOptions load;
    load.threads = threads;
    Trace trace;
    if (!profile.empty()) {
      options.timeKernels = true;
      trace.observe(load);
    }
    Result<std::unique_ptr<Executable>> executable = loadExecutable(input, options, load);
    if (!executable) {
      return executable.error();
    }
    std::vector<ElementType> types;
    for (const ValueDescription &result : (*executable)->results()) {
      types.push_back(result.type);
    }
    if (Status status = checkOutputs(output, types); !status) {
      return status.error();
    }
    Result<std::vector<Tensor>> arguments = makeInputs(inputs, (*executable)->arguments());
    if (!arguments) {
      return arguments.error();
    }
    trace.begin();
    Result<std::vector<Tensor>> results = (*executable)->call(*arguments);
    trace.end();
    if (results && checksRanges) {
      if (Status status = printRanges(*arguments); !status) {
        return status.error();
      }
    }
    if (results && !profile.empty()) {
      Status status = writeFile(profile, trace.json((*executable)->description()));
      return status ? std::move(results) : Result<std::vector<Tensor>>(status.error());
    }
    return results;
  }

  // The program is read once more: compiling has changed the first one.
  Status printRanges(const std::vector<Tensor> &arguments) {
    Result<Program> program = readProgram(input);
    if (!program) {
      return program.error();
    }
    Result<RangeReport> ranges =
        checkRanges(*program->module, options, arguments, interpreter.maxMemory);
    if (!ranges) {
      return ranges.error();
    }
    std::fputs(rangesText(*ranges).c_str(), printed());
    return Done{};
  }

  // As written, or as it is after the phase that `--stop-after` names.
  Result<std::vector<Tensor>> interpretProgram() {
    bool whole = options.stopAfter.empty();
    Result<Program> program =
        readProgram(input, whole ? ProgramUse::Interpreted : ProgramUse::Native);
    if (!program) {
      return program.error();
    }
    std::vector<NamedTensor> weights;
    if (!options.stopAfter.empty()) {
      PhaseResult phases;
      if (Status status = runPhases(*program->module, optionsFor(input, options), phases);
          !status) {
        return status.error();
      }
      weights = std::move(phases.weights);
    } else if (!options.weightsFile.empty()) {
      Result<std::vector<NamedTensor>> bound = bindWeights(*program->module, options.weightsFile);
      if (!bound) {
        return bound.error();
      }
      weights = std::move(*bound);
    }
    Result<std::vector<Tensor>> arguments =
        makeInputs(inputs, describeArguments(*program->module, weights.size()));
    if (!arguments) {
      return arguments.error();
    }
    for (const NamedTensor &weight : weights) {
      arguments->push_back(weight.tensor);
    }
    interpreter.table = &planOperations();
    interpreter.maxMemory = static_cast<int64_t>(maxMemory);
    interpreter.kernels.maxBytes = interpreter.maxMemory;
    interpreter.kernels.wideAccumulation = !roundsEachSum;
    if (options.progress) {
      options.progress("interpreting", 0, 0);
    }
    return interpretOnGrid(*program->module, *arguments);
  }

  // All processes run the program on the same arguments; the results of the first are the run's.
  Result<std::vector<Tensor>> interpretOnGrid(mlir::ModuleOp module,
                                              const std::vector<Tensor> &arguments) {
    if (grid.replicas < 1 || grid.partitions < 1 || grid.processes() == 1) {
      return interpret(module, arguments, interpreter);
    }
    std::vector<ProcessProgram> programs(
        static_cast<size_t>(grid.processes()),
        {entryFunction(module), inMemoryOrder(entryFunction(module), arguments)});
    Result<GridRun> run = interpretGrid(programs, grid, interpreter);
    if (!run) {
      return run.error();
    }
    return inProgramOrder(entryFunction(module), std::move(run->results.front()));
  }
};

Command addRun(CLI::App &app) {
  CLI::App *sub = app.add_subcommand("run", "run a program or an image");
  auto command = std::make_shared<RunCommand>();
  sub->add_option("program", command->input, "a StableHLO or HLO program, or an image")->required();
  sub->add_option("--input", command->inputs,
                  "for each argument a .npy file, random:SEED, linspace:FIRST,LAST or zeros; or "
                  "one .npz or .safetensors "
                  "file with in0, in1, … for all");
  sub->add_option("--output", command->output,
                  "a .npz or .safetensors file, or a folder, for the results");
  CLI::Option *expected = sub->add_option("--expect", command->expected,
                                          "compare the results with out0, out1, … of this file");
  sub->add_option("--rtol", command->tolerance, "the relative tolerance of --expect")
      ->needs(expected)
      ->capture_default_str();
  sub->add_option("--threads", command->threads,
                  "threads that run the program (0: one for each processor)")
      ->check(CLI::Range(0u, maxThreads));
  sub->add_option("--profile", command->profile,
                  "a file for a trace of the run's kernels, as Perfetto and Chrome show it");
  sub->add_flag("--check-ranges", command->checksRanges,
                "with --auto-cast: interpret the rounded program as well, and count what its "
                "roundings move out of the type's range, or to zero");
  sub->add_flag("--interpret", command->interpreted,
                "evaluate the program operation by operation; with --stop-after, what it is after "
                "that phase");
  sub->add_option("--replicas", command->grid.replicas,
                  "with --interpret: run so many replicas of the program together")
      ->check(CLI::Range(1, 4096))
      ->capture_default_str();
  sub->add_option("--partitions", command->grid.partitions,
                  "with --interpret: run so many partitions of each replica together")
      ->check(CLI::Range(1, 4096))
      ->capture_default_str();
  sub->add_flag("--round-each-sum", command->roundsEachSum,
                "with --interpret: round every partial sum to its type, as the specification's "
                "operations do one by one, not only the last");
  sub->add_option("--max-memory", command->maxMemory,
                  "with --interpret: the most bytes that all values together may take, such as "
                  "500000 or 4GB (default 16GB)")
      ->transform(CLI::AsSizeValue(false))
      ->check(CLI::Range(uint64_t(0), uint64_t(1) << 62));
  sub->add_option("--max-steps", command->interpreter.maxSteps,
                  "with --interpret: the most operations that may be executed (default: no limit)")
      ->check(CLI::NonNegativeNumber);
  addCompileOptions(*sub, command->options);
  addTuningOptions(*sub, command->options);
  return {sub, [command] { return command->run(); }, &command->options};
}

} // namespace drumlin::cli
