// The subcommands of `drumlin`. Each adds its options to the application and runs when its
// subcommand was given.
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

// What the command line says of a compilation.
struct ProgramOptions : CompileOptions {
  std::string targetName, cpuName; // empty: the one isn't given
  std::string numericsText;
  // What these say: target and numerics. UnknownTarget, CommandLineInvalid.
  Status takeNames();
};

struct Command {
  CLI::App *app; // its argument `program` is the file that is compiled or run
  Action action;
  ProgramOptions *options = nullptr;
};

// A crash while this program is compiled leaves a reproducer of it.
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
// The one that is named. All, where none is: for help, and to say which there are. Options of all
// of them take longer to declare than a small program to read.
std::vector<Command> addCommands(CLI::App &app, std::string_view named);

// Options that every command which compiles has.
void addCompileOptions(CLI::App &app, ProgramOptions &options);
void addTargetCpu(CLI::App &app, ProgramOptions &options);
// Those that make kernels take measured schedules, for the commands that make code.
void addTuningOptions(CLI::App &app, CompileOptions &options);

// What `plan` and `cost` take for a tensor engine besides.
struct EngineFlags {
  std::string layout = "chosen";
};
void addEngineFlags(CLI::App &app, EngineFlags &flags);

// Prints the program's layouts and costs on the engine that the options name.
Status printEngineCost(const std::string &input, const CompileOptions &options,
                       const EngineFlags &flags, bool json);

// A program file, read: a module to compile or interpret.
struct Program {
  std::unique_ptr<mlir::MLIRContext> context;
  mlir::OwningOpRef<mlir::ModuleOp> module;
};
// For the interpreter, values that it alone takes are the tensors that hold them (a quantized one's
// storage, a tuple's elements); sizes that only the run tells are kDynamic.
// Edited ones have all constants in attributes of MLIR's own.
enum class ProgramUse { Native, Interpreted, Edited };
// Plans are read only where the options go on from a phase.
Result<Program> readProgram(const std::string &path, const CompileOptions &options,
                            ProgramUse use = ProgramUse::Native);
// A program brought to its plan for the CPU that the options name, or to the phase that they stop
// after; to `select` for a GPU. Tensor engines' plans are made by another function: UnknownTarget.
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
// The same for a program that was read from `path`, which may run beside another one's.
Result<PlannedProgram> planProgram(Program program, const std::string &path,
                                   const CompileOptions &options);
// A program that was planned for the tensor engine that the options name.
struct EngineProgram {
  Program program;
  const TensorEngine *engine = nullptr;
  EngineOptions layouts;
  EnginePlan plan; // of the program's module
};
Result<EngineProgram> planEngine(const std::string &path, const CompileOptions &options,
                                 const EngineFlags &flags = {});
// What an image says about itself.
Result<ImageDescription> describeImage(const std::string &path);
// The lock text that lies in an image. UnsupportedFormat for images of versions that wrote none.
Result<std::string> lockOfImage(const std::string &path);
// The arguments that callers pass: all but the last `weights` ones.
std::vector<ValueDescription> describeArguments(mlir::ModuleOp module, size_t weights);
// A program compiled in memory, or an image loaded; ready to run on `threads` threads (0: one for
// each processor).
Result<std::unique_ptr<Executable>> loadExecutable(const std::string &path,
                                                   const CompileOptions &options, unsigned threads);
Result<std::unique_ptr<Executable>> loadExecutable(const std::string &path,
                                                   const CompileOptions &options, LoadOptions load);
// The same for a program that was compiled; `path` is its name in messages. UnknownPhase where
// there is no native code.
Result<std::unique_ptr<Executable>> loadCompilation(const Compilation &compilation,
                                                    const std::string &path,
                                                    const CompileOptions &options,
                                                    LoadOptions load);
// What `compile` leaves at `output` and beside it.
Status writeCompilation(mlir::ModuleOp module, const Compilation &compilation,
                        const std::string &output);
// The options, with the ledger that lies beside a file which is to be gone on from.
CompileOptions optionsFor(const std::string &path, CompileOptions options);
bool isImage(const std::string &path);
// The file's name without folder and ending.
std::string programName(const std::string &path);

// One specification an argument, or one file for all: see the help text of `--input`.
Result<std::vector<Tensor>> makeInputs(const std::vector<std::string> &specifications,
                                       const std::vector<ValueDescription> &arguments);
// The same for a program that was made of the one which the specifications are for: `numbers` are
// those of the arguments there. Arguments that are new, or that a file's array doesn't fit any
// more, are `random:1`.
Result<std::vector<Tensor>> makeInputs(const std::vector<std::string> &specifications,
                                       const std::vector<ValueDescription> &arguments,
                                       const std::vector<std::optional<unsigned>> &numbers);

// Writes files that belong together: none of them appears before all are on the disk.
Status writeTogether(const std::vector<std::pair<std::string, std::string>> &files);

// Whether writeOutputs() could write results of these types there; fails as it would.
Status checkOutputs(const std::string &path, const std::vector<ElementType> &types);
// Writes results to a .npz or safetensors file, or as out0.npy … into an existing folder.
Status writeOutputs(const std::string &path, const std::vector<Tensor> &results);
// Compares results with a file's; prints the first and the worst mismatch.
Status compareOutputs(const std::string &path, const std::vector<Tensor> &results,
                      double tolerance);

} // namespace drumlin::cli
