// The subcommands of `drumlin`. Each function adds a subcommand with its options to the
// application. The command that was given on the command line then runs.
#pragma once

#include "drumlin/driver/Compiler.h"
#include "drumlin/driver/EngineReport.h"
#include "drumlin/driver/PlanLock.h"
#include "drumlin/ir/costs/CostText.h"
#include "drumlin/runtime/executable/Executable.h"
#include "drumlin/support/Diagnostics.h"
#include "drumlin/support/MappedFile.h"

#include <functional>
#include <optional>

namespace CLI {
class App;
}

namespace drumlin::cli {

// A subcommand's action; the diagnostic decides the exit status.
using Action = std::function<Status()>;

// The options of a compilation on the command line.
struct ProgramOptions : CompileOptions {
  std::string targetName, cpuName; // empty if the option is not given
  std::string numericsText;
  // Sets target and numerics from these names. Fails with UnknownTarget or CommandLineInvalid.
  Status takeNames();
};

struct Command {
  CLI::App *app; // its argument `program` names the file to compile or run
  Action action;
  ProgramOptions *options = nullptr;
};

// Sets the program that the reproducer contains if the process crashes after this call. `content`
// is needed if the file can't be read again.
void nameCrashedProgram(const std::string &path, std::shared_ptr<MappedFile> content);

Command addCompile(CLI::App &app);
Command addRun(CLI::App &app);
Command addBench(CLI::App &app);
Command addLimits(CLI::App &app);
Command addPlan(CLI::App &app);
Command addCost(CLI::App &app);
Command addWhy(CLI::App &app);
Command addConvert(CLI::App &app);
Command addListOperators(CLI::App &app);
Command addListOptions(CLI::App &app);
Command addTargets(CLI::App &app);
Command addDiff(CLI::App &app);
Command addCheck(CLI::App &app);
Command addReduce(CLI::App &app);
Command addPrint(CLI::App &app);
Command addDoctor(CLI::App &app);
Command addCompletion(CLI::App &app);
// Adds the command `named`. If there is no command of this name, adds all commands, for help and
// error messages. Declaring all commands' options takes longer than reading a small program.
std::vector<Command> addCommands(CLI::App &app, std::string_view named);

// Adds the options of all commands that compile.
void addCompileOptions(CLI::App &app, ProgramOptions &options);
void addTargetCpu(CLI::App &app, ProgramOptions &options);
// Adds the options for measured schedules, for commands that generate code.
void addTuningOptions(CLI::App &app, CompileOptions &options);

// Additional options of `plan` and `cost` for a tensor engine.
struct EngineFlags {
  std::string layout = "chosen";
};
void addEngineFlags(CLI::App &app, EngineFlags &flags);

// Prints the program's layouts and costs on the engine named by the options.
Status printEngineCost(const std::string &input, const CompileOptions &options,
                       const EngineFlags &flags, bool json);

// A parsed program file: a module to compile or interpret.
struct Program {
  std::unique_ptr<mlir::MLIRContext> context;
  mlir::OwningOpRef<mlir::ModuleOp> module;
};
// The purpose for which a program is read. Interpreted: a value of a type that only the interpreter
// supports is replaced by tensors. A quantized tensor is replaced by its storage, and a tuple by
// its elements. Sizes known only at run time are kDynamic. Edited: all constants are in MLIR's own
// attributes.
enum class ProgramUse { Native, Interpreted, Edited };
// Reads a program; accepts plans only if the options start from a phase.
Result<Program> readProgram(const std::string &path, const CompileOptions &options,
                            ProgramUse use = ProgramUse::Native);
// A program's plan for the target that the options name. The plan is the program after the phase at
// which the options stop. By default, it is the program after the last phase for a CPU, and after
// `select` for a GPU. planProgram() fails with EngineWithoutCode for tensor engines (see
// planEngine()).
struct PlannedProgram {
  Program program;
  TargetPtr target;
  PhaseResult phases;

  PlanCost costs() const { return planCost(*program.module); }
  PlanLock lock(const std::string &name) const {
    return makePlanLock(*program.module, name, *target, phases.operations, costs());
  }
};
Result<PlannedProgram> planProgram(const std::string &path, const CompileOptions &options);
// Plans a program that was read from `path`. Concurrent calls for different programs are allowed.
Result<PlannedProgram> planProgram(Program program, const std::string &path,
                                   const CompileOptions &options);
// A program planned for the tensor engine that the options name.
struct EngineProgram {
  Program program;
  const TensorEngine *engine = nullptr;
  EngineOptions layouts;
  EnginePlan plan; // the plan of `program.module`
};
Result<EngineProgram> planEngine(const std::string &path, const CompileOptions &options,
                                 const EngineFlags &flags = {});
// Returns the description that an image contains.
Result<ImageDescription> describeImage(const std::string &path);
// Returns the lock text in an image. Fails with UnsupportedFormat if the image is from a version
// that stored no lock.
Result<std::string> lockOfImage(const std::string &path);
// Describes the arguments that callers pass: all except the last `weights` arguments, which are
// bound.
std::vector<ValueDescription> describeArguments(mlir::ModuleOp module, size_t weights);
// Loads an image, or compiles a program without writing an image and loads it. The executable runs
// on `threads` threads (0: one for each processor).
Result<std::unique_ptr<Executable>> loadExecutable(const std::string &path,
                                                   const CompileOptions &options, unsigned threads);
Result<std::unique_ptr<Executable>> loadExecutable(const std::string &path,
                                                   const CompileOptions &options, LoadOptions load);
// Loads a compiled program; `path` is its name in messages. Fails with UnknownPhase if the
// compilation stopped before native code.
Result<std::unique_ptr<Executable>> loadCompilation(const Compilation &compilation,
                                                    const std::string &path,
                                                    const CompileOptions &options,
                                                    LoadOptions load);
// Writes all files that `compile` writes at `output` and beside it.
Status writeCompilation(mlir::ModuleOp module, const Compilation &compilation,
                        const std::string &output);
// Returns the options. If they start from a phase, the result also names the ledger file beside
// `path`.
CompileOptions optionsFor(const std::string &path, CompileOptions options);
bool isImage(const std::string &path);
// Returns the file's name without folder and extension.
std::string programName(const std::string &path);

// Makes a program's inputs. `specifications`: one per argument, or one file for all; see the help
// text of `--input`.
Result<std::vector<Tensor>> makeInputs(const std::vector<std::string> &specifications,
                                       const std::vector<ValueDescription> &arguments);
// Makes inputs for a program that was derived from an original. `specifications` are those of the
// original; `numbers` are the arguments' numbers in the original. Arguments that are new, and
// arguments that no longer fit their file's array, get `random:1`.
Result<std::vector<Tensor>> makeInputs(const std::vector<std::string> &specifications,
                                       const std::vector<ValueDescription> &arguments,
                                       const std::vector<std::optional<unsigned>> &numbers);

// Writes several files. No file appears under its name before all files are on disk.
Status writeTogether(const std::vector<std::pair<std::string, std::string>> &files);

// Checks that writeOutputs() could write results of these types; fails with the same errors.
Status checkOutputs(const std::string &path, const std::vector<ElementType> &types);
// Writes results to a .npz or safetensors file, or as out0.npy … into an existing folder.
Status writeOutputs(const std::string &path, const std::vector<Tensor> &results);
// Compares results with those in a file; prints the first and the worst mismatch.
Status compareOutputs(const std::string &path, const std::vector<Tensor> &results,
                      double tolerance);

} // namespace drumlin::cli
