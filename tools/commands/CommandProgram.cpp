#include "commands/Commands.h"

#include "commands/CommandFiles.h"
#include "commands/CommandOptions.h"
#include "drumlin/driver/backend/BackendChoice.h"
#include "drumlin/import/Import.h"
#include "drumlin/interpreter/ValueTypes.h"
#include "drumlin/ir/plan/Entry.h"
#include "drumlin/ir/plan/Layouts.h"
#include "drumlin/ir/stablehlo/StablehloTypes.h"
#include "drumlin/runtime/executable/ImageFile.h"
#include "drumlin/support/diagnostics/OptionErrors.h"
#include "drumlin/support/diagnostics/UnsupportedErrors.h"
#include "drumlin/support/json/JsonStream.h"
#include "drumlin/target/LibraryCall.h"
#include "drumlin/target/TargetNames.h"

#include <filesystem>

namespace drumlin::cli {

// Describes the tensors that hold values of these types. The interpreter reports unsupported types
// later.
static std::vector<ValueDescription> describe(mlir::TypeRange types) {
  std::vector<ValueDescription> values;
  for (mlir::RankedTensorType tensor : tensorTypesOf(types).value_or(TensorTypes())) {
    ValueDescription value;
    value.type = heldTypeOf(tensor).value_or(ElementType::F32);
    value.shape = Shape(tensor.getShape());
    values.push_back(std::move(value));
  }
  return values;
}

Result<Program> readProgram(const std::string &path, const CompileOptions &options,
                            ProgramUse use) {
  if (isImage(path)) {
    return diagnose(errors::UnsupportedFormat, "a program is needed, and this is an image", path,
                    "pass the program that the image was compiled from");
  }
  Program program;
  program.context = std::make_unique<mlir::MLIRContext>(programDialects(),
                                                        mlir::MLIRContext::Threading::DISABLED);
  ImportLimits limits;
  limits.nativeTypesOnly = use != ProgramUse::Interpreted;
  limits.holdsConstants = use == ProgramUse::Native;
  limits.fillElided = options.fillElided;
  limits.plans = !options.startFrom.empty();
  Result<mlir::OwningOpRef<mlir::ModuleOp>> module = importSource(path, *program.context, limits);
  if (!module) {
    return module.error();
  }
  program.module = std::move(*module);
  return program;
}

Result<PlannedProgram> planProgram(Program program, const std::string &path,
                                   const CompileOptions &options) {
  std::unique_ptr<const Backend> backend = backendOf(*options.target);
  if (backend->plansItself()) {
    return diagnose(errors::EngineWithoutCode,
                    "`" + options.target->name + "` is a target for " +
                        std::string(options.target->use()) + " of its own",
                    "--target");
  }
  PlannedProgram planned = {std::move(program), options.target, {}};
  CompileOptions own = optionsFor(path, options);
  if (std::string_view last = backend->lastPhase(); !last.empty()) {
    own.stopAfter = last;
  }
  Status status = runPhases(*planned.program.module, own, planned.phases);
  if (!status) {
    return status.error();
  }
  return planned;
}

Result<PlannedProgram> planProgram(const std::string &path, const CompileOptions &options) {
  Result<Program> program = readProgram(path, options);
  if (!program) {
    return program.error();
  }
  return planProgram(std::move(*program), path, options);
}

Result<std::string> lockOfImage(const std::string &path) {
  Result<ImageDescription> image = describeImage(path);
  if (!image) {
    return image.error();
  }
  if (image->lock.empty()) {
    return diagnose(errors::UnsupportedFormat,
                    "the image has no plan lock: `" + image->compilerVersion + "` made it", path,
                    "compile the program again, or pass the program itself");
  }
  return image->lock;
}

std::vector<ValueDescription> describeArguments(mlir::ModuleOp module, size_t weights) {
  mlir::func::FuncOp main = entryFunction(module);
  std::vector<ValueDescription> values = describe(main.getArgumentTypes().drop_back(weights));
  // A phase may have changed the type of an argument. It can only have done so if the argument is
  // itself a tensor.
  for (unsigned i = 0; i < values.size() && i < main.getNumArguments(); ++i) {
    if (mlir::isa<mlir::RankedTensorType>(main.getArgumentTypes()[i])) {
      mlir::RankedTensorType type = callersArgument(main, i).type;
      values[i].type = heldTypeOf(type).value_or(values[i].type);
      values[i].shape = Shape(type.getShape());
    }
  }
  return values;
}

Result<std::unique_ptr<Executable>>
loadExecutable(const std::string &path, const CompileOptions &options, unsigned threads) {
  LoadOptions load;
  load.threads = threads;
  return loadExecutable(path, options, std::move(load));
}

Result<std::unique_ptr<Executable>>
loadExecutable(const std::string &path, const CompileOptions &options, LoadOptions load) {
  if (isImage(path)) {
    load.weightsPath = options.weightsFile;
    if (isRegularFile(path)) {
      return Executable::load(path, load);
    }
    Result<std::shared_ptr<MappedFile>> file = readSource(path);
    if (load.weightsPath.empty()) {
      load.weightsPath = path + ".weights";
    }
    return file ? Executable::loadFromMemory((*file)->bytes(), path, load)
                : Result<std::unique_ptr<Executable>>(file.error());
  }
  Result<Program> program = readProgram(path, options);
  if (!program) {
    return program.error();
  }
  Result<Compilation> compilation =
      compile(*program->module, programName(path), optionsFor(path, options));
  return compilation ? loadCompilation(*compilation, path, options, load)
                     : Result<std::unique_ptr<Executable>>(compilation.error());
}

Result<std::unique_ptr<Executable>> loadCompilation(const Compilation &compilation,
                                                    const std::string &path,
                                                    const CompileOptions &options,
                                                    LoadOptions load) {
  if (compilation.image.empty()) {
    return diagnose(errors::UnknownPhase,
                    "a program that stops after phase `" + options.stopAfter +
                        "` has no native code",
                    "--stop-after", "add `--interpret`");
  }
  return compilation.load(path, std::move(load));
}

bool isImage(const std::string &path) {
  Result<std::shared_ptr<MappedFile>> file = readSource(path);
  return file && (*file)->text().starts_with("\x7f"
                                             "ELF");
}

Result<ImageDescription> describeImage(const std::string &path) {
  Result<std::shared_ptr<MappedFile>> file = readSource(path);
  return file ? readImageDescription((*file)->bytes(), path)
              : Result<ImageDescription>(file.error());
}

std::string programName(const std::string &path) {
  return validText(std::filesystem::path(path).stem().string());
}

CompileOptions optionsFor(const std::string &path, CompileOptions options) {
  std::string ledger = ledgerPath(path);
  std::error_code error;
  if (!options.startFrom.empty() && std::filesystem::exists(ledger, error)) {
    options.startLedger = ledger;
  }
  return options;
}

Status ProgramOptions::takeNames() {
  if (!numericsText.empty()) {
    Result<Numerics> named = numericsFromText(numericsText);
    if (!named) {
      return named.error();
    }
    numerics = *named;
  }
  bool isCpu = targetName.empty();
  if (isCpu && cpuName.empty()) {
    return Done{};
  }
  Result<TargetPtr> found = targetFromName(isCpu ? cpuName : targetName);
  if (!found) {
    Diagnostic unknown = found.error();
    unknown.location = isCpu ? "--target-cpu" : "--target";
    return unknown;
  }
  if (llvm::isa<CpuTarget>(**found) != isCpu) {
    return diagnose(errors::UnknownTarget,
                    "`" + (*found)->name + (isCpu ? "` isn't a CPU" : "` is a CPU"),
                    isCpu ? "--target-cpu" : "--target",
                    isCpu ? "pass it as `--target`" : "pass it as `--target-cpu`");
  }
  target = *found;
  return Done{};
}

void addTargetCpu(CLI::App &app, ProgramOptions &options) {
  addOption(app, "--target-cpu", options.cpuName);
}

void addCompileOptions(CLI::App &app, ProgramOptions &options) {
  addOption(app, "--target", options.targetName);
  addTargetCpu(app, options);
  addOption(app, "--numerics", options.numericsText);
  addOption(app, "--replicas", options.grid.replicas);
  addOption(app, "--partitions", options.grid.partitions);
  addOption(app, "--size", options.sizes);
  addOption(app, "--fill-elided", options.fillElided);
  addChoice(app, "--auto-cast", options.autoCast.mode,
            {AutoCast::Mode::None, AutoCast::Mode::MatMult, AutoCast::Mode::All});
  addChoice(
      app, "--auto-cast-type", options.autoCast.type,
      {AutoCast::Type::BF16, AutoCast::Type::FP16, AutoCast::Type::TF32, AutoCast::Type::Fp8E4M3});
  addChoice(app, "--optimization-level", options.level, {0, 1, 2, 3});
  addOption(app, "--distribution-strategy", options.distributionStrategy);
  addChoice(app, "--model-type", options.modelType,
            {ModelType::Generic, ModelType::Transformer, ModelType::UNetInference});
  addOption(app, "--no-cache", options.useCache);
  addOption(app, "--cache-size", options.cacheBytes);
  addOption(app, "--memory-budget", options.memoryBudget);
  addOption(app, "--compile-memory", options.compileMemory);
  addOption(app, "--compile-time", options.compileSeconds);
  addOption(app, "--compile-operations", options.compileOperations);
  addOption(app, "--num-parallel-jobs", options.threads);
  addOption(app, "--weights", options.weightsFile);
  using InPlace = CompileOptions::WeightsInPlace;
  addChoice(app, "--weights-in-place", options.weightsInPlace, {InPlace::Sampled, InPlace::Hashed});
  addOption(app, "--dump-phases", options.dumpPhases);
  addOption(app, "--dump-pass", options.dumpPass);
  addOption(app, "--dump-llvm", options.dumpLlvm);
  addOption(app, "--stop-after", options.stopAfter);
  addOption(app, "--require", options.requirements);
  addOption(app, "--static-args", options.staticArguments);
  addOption(app, "--force-kernel", options.forcedKernels);
  addOption(app, "--disable-pass", options.disabledPasses);
  addOption(app, "--start-from", options.startFrom);
}

void addTuningOptions(CLI::App &app, CompileOptions &options) {
  using Tuning = CompileOptions::Tuning;
  addChoice(app, "--tune", options.tuning, {Tuning::Off, Tuning::On, Tuning::Require});
  addOption(app, "--time-budget", options.timeBudget);
  addOption(app, "--tune-record", options.tuningRecord);
  addOption(app, "--tune-seconds", options.tuningSeconds);
}

} // namespace drumlin::cli
