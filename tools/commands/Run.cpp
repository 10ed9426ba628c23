// drumlin run: runs a program or an image on given inputs.
#include "commands/CommandOptions.h"
#include "commands/Commands.h"
#include "commands/CustomCalls.h"

#include "commands/Printing.h"
#include "commands/Trace.h"

#include "drumlin/driver/check/RangeCheck.h"
#include "drumlin/interpreter/Grid.h"
#include "drumlin/interpreter/PlanOperations.h"
#include "drumlin/ir/plan/Entry.h"
#include "drumlin/ir/sizes/BoundedResults.h"
#include "drumlin/runtime/calls/CallPreparation.h"
#include "drumlin/runtime/executable/TensorCall.h"
#include "drumlin/support/AtomicFile.h"
#include "drumlin/transforms/entry/Weights.h"

#include <cstdio>

namespace drumlin::cli {

struct RunCommand {
  std::string input, output, expected, profile;
  std::vector<std::string> inputs, customCalls;
  double tolerance = 1e-5;
  unsigned threads = 0;
  bool interpreted = false, checksRanges = false, checksWeights = false;
  InterpreterOptions interpreter;
  bool roundsEachSum = false;
  ProgramOptions options;

  Status run() {
    if (Status status = registerCustomCalls(customCalls); !status) {
      return status;
    }
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
    load.weightsCheck = checksWeights ? WeightsCheck::Contents : WeightsCheck::Header;
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
    Result<std::vector<Tensor>> results = callOnGrid(**executable, *arguments);
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

  // Runs all processes on the same arguments and returns the results of the first process.
  static Result<std::vector<Tensor>> callOnGrid(Executable &executable,
                                                const std::vector<Tensor> &arguments) {
    if (!executable.needsProcesses()) {
      return call(executable, arguments);
    }
    auto count = static_cast<size_t>(executable.description().grid.processes());
    Result<std::vector<std::vector<Tensor>>> results =
        callProcesses(executable, std::vector<std::vector<Tensor>>(count, arguments));
    return results ? Result<std::vector<Tensor>>(std::move(results->front())) : results.error();
  }

  // Prints what roundings do to numbers outside their type's range. Reads the program again, since
  // compiling has changed the module.
  Status printRanges(const std::vector<Tensor> &arguments) {
    Result<Program> program = readProgram(input, options);
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

  // The interpreted program. It must outlive the results, which may be constants that it owns.
  std::optional<Program> program;

  // Interprets the program as written, or after the phase that `--stop-after` names.
  Result<std::vector<Tensor>> interpretProgram() {
    bool whole = options.stopAfter.empty();
    Result<Program> read =
        readProgram(input, options, whole ? ProgramUse::Interpreted : ProgramUse::Native);
    if (!read) {
      return read.error();
    }
    program = std::move(*read);
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
    static const HostCaller hostCaller = callOnce;
    interpreter.hostCaller = &hostCaller;
    interpreter.kernels.maxBytes = interpreter.maxMemory;
    interpreter.kernels.wideAccumulation = !roundsEachSum;
    if (options.progress) {
      options.progress("interpreting", 0, 0);
    }
    Result<std::vector<Tensor>> results = interpretOnGrid(*program->module, *arguments);
    return results ? Result<std::vector<Tensor>>(countedResults(
                         std::move(*results), countsOfResults(entryFunction(*program->module))))
                   : results;
  }

  // Interprets all processes on the same arguments and returns the results of the first process.
  Result<std::vector<Tensor>> interpretOnGrid(mlir::ModuleOp module,
                                              const std::vector<Tensor> &arguments) {
    GridShape grid = {std::max<int64_t>(options.grid.replicas, 1),
                      std::max<int64_t>(options.grid.partitions, 1)};
    if (grid.processes() == 1) {
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
  CLI::App *sub = addSubcommand(app, "run", "run a program or an image");
  auto command = std::make_shared<RunCommand>();
  addOption(*sub, "program", command->input);
  addOption(*sub, "--input", command->inputs);
  addOption(*sub, "--output", command->output);
  addOption(*sub, "--custom-call", command->customCalls);
  addOption(*sub, "--expect", command->expected);
  addOption(*sub, "--rtol", command->tolerance);
  addOption(*sub, "--threads", command->threads);
  addOption(*sub, "--check-weights", command->checksWeights);
  addOption(*sub, "--profile", command->profile);
  addOption(*sub, "--check-ranges", command->checksRanges);
  addOption(*sub, "--interpret", command->interpreted);
  addOption(*sub, "--round-each-sum", command->roundsEachSum);
  addOption(*sub, "--max-memory", command->interpreter.maxMemory);
  addOption(*sub, "--max-steps", command->interpreter.maxSteps);
  addCompileOptions(*sub, command->options);
  addTuningOptions(*sub, command->options);
  return {sub, [command] { return command->run(); }, &command->options};
}

} // namespace drumlin::cli
