#include "commands/Commands.h"

#include "commands/Files.h"
#include "drumlin/import/Import.h"
#include "drumlin/interpreter/ValueTypes.h"
#include "drumlin/ir/plan/Entry.h"
#include "drumlin/ir/plan/Layouts.h"
#include "drumlin/ir/stablehlo/StablehloTypes.h"
#include "drumlin/runtime/executable/ImageFile.h"

#include <filesystem>
#include <map>

namespace drumlin::cli {

// The tensors that hold values of these types; those that the interpreter can't hold are its own
// errors later.
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

Result<Program> readProgram(const std::string &path, ProgramUse use) {
  if (isImage(path)) {
    return diagnose(DiagnosticCode::UnsupportedFormat, "a program is needed, and this is an image",
                    path, "pass the program that the image was compiled from");
  }
  Program program;
  program.context = std::make_unique<mlir::MLIRContext>(programDialects(),
                                                        mlir::MLIRContext::Threading::DISABLED);
  ImportLimits limits;
  limits.nativeTypesOnly = use == ProgramUse::Native;
  Result<mlir::OwningOpRef<mlir::ModuleOp>> module = importSource(path, *program.context, limits);
  if (!module) {
    return module.error();
  }
  program.module = std::move(*module);
  return program;
}

Result<PlannedProgram> planProgram(Program program, const std::string &path,
                                   const CompileOptions &options) {
  const auto *cpu = llvm::dyn_cast<CpuTarget>(options.target.get());
  if (!cpu) {
    return diagnose(DiagnosticCode::EngineWithoutCode,
                    "`" + options.target->name + "` is a target for " +
                        std::string(options.target->use()) + " of its own",
                    "--target");
  }
  PlannedProgram planned = {std::move(program), *cpu, {}};
  Status status = runPhases(*planned.program.module, optionsFor(path, options), planned.phases);
  if (!status) {
    return status.error();
  }
  return planned;
}

Result<PlannedProgram> planProgram(const std::string &path, const CompileOptions &options) {
  Result<Program> program = readProgram(path);
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
    return diagnose(DiagnosticCode::UnsupportedFormat,
                    "the image holds no plan lock: `" + image->compilerVersion + "` made it", path,
                    "compile the program again, or pass the program itself");
  }
  return image->lock;
}

std::vector<ValueDescription> describeArguments(mlir::ModuleOp module, size_t weights) {
  mlir::func::FuncOp main = entryFunction(module);
  std::vector<ValueDescription> values = describe(main.getArgumentTypes().drop_back(weights));
  // A program with values of other kinds isn't one that a phase changed.
  for (unsigned i = 0; i < values.size() && i < main.getNumArguments(); ++i) {
    if (mlir::isa<mlir::RankedTensorType>(main.getArgumentTypes()[i])) {
      mlir::RankedTensorType type = callersArgument(main, i).type;
      values[i].type = elementTypeOf(type.getElementType());
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
  Result<Program> program = readProgram(path);
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
    return diagnose(DiagnosticCode::UnknownPhase,
                    "a program that stops after phase `" + options.stopAfter +
                        "` has no native code",
                    "--stop-after", "add `--interpret`");
  }
  for (size_t i = 0; i < compilation.phases.weights.size(); ++i) {
    if (!compilation.description.weights[i].isEmbedded()) {
      load.weights.push_back(compilation.storedWeight(i));
    }
  }
  std::span<const char> bytes(compilation.image);
  return Executable::loadFromMemory(std::as_bytes(bytes), path, load);
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
  return std::filesystem::path(path).stem().string();
}

CompileOptions optionsFor(const std::string &path, CompileOptions options) {
  std::string ledger = ledgerPath(path);
  if (!options.startFrom.empty() && std::filesystem::exists(ledger)) {
    options.startLedger = ledger;
  }
  return options;
}

Status ProgramOptions::takeTarget() {
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
    return diagnose(DiagnosticCode::UnknownTarget,
                    "`" + (*found)->name + (isCpu ? "` is no CPU" : "` is a CPU"),
                    isCpu ? "--target-cpu" : "--target",
                    isCpu ? "pass it as `--target`" : "pass it as `--target-cpu`");
  }
  target = *found;
  return Done{};
}

void addTargetCpu(CLI::App &app, ProgramOptions &options) {
  app.add_option("--target-cpu", options.cpuName,
                 "native (the default), amx, avx512, avx2, baseline or a CPU that LLVM knows, with "
                 "features behind it: znver4,-avx512bf16 (`drumlin targets` lists them)");
}

void addCompileOptions(CLI::App &app, ProgramOptions &options) {
  app.add_option(
      "--target", options.targetName,
      "inf2, trn1, trn1n or trn2: for plans and costs only; sm_89, sm_90, sm_100, gfx942 or "
      "gfx950: for plans only; without it, the CPU");
  addTargetCpu(app, options);
  app.add_option("--numerics", options.numerics,
                 "default, or strict: products and sums in the accumulation type only")
      ->option_text("default|strict")
      ->transform(CLI::CheckedTransformer(std::map<std::string, Numerics>{
          {"default", Numerics::Default}, {"strict", Numerics::Strict}}));
  app.add_option("--auto-cast", options.autoCast.mode,
                 "f32 values that may be rounded: none (the default), the operands of products, or "
                 "of all elementwise operations")
      ->option_text("none|matmult|all")
      ->transform(CLI::CheckedTransformer(
          std::map<std::string, AutoCast::Mode>{{"none", AutoCast::Mode::None},
                                                {"matmult", AutoCast::Mode::MatMult},
                                                {"all", AutoCast::Mode::All}}));
  app.add_option("--auto-cast-type", options.autoCast.type,
                 "what `--auto-cast` rounds to; fp8_e4m3 saturates, and is for products alone")
      ->option_text("bf16|fp16|tf32|fp8_e4m3")
      ->transform(CLI::CheckedTransformer(
          std::map<std::string, AutoCast::Type>{{"bf16", AutoCast::Type::BF16},
                                                {"fp16", AutoCast::Type::FP16},
                                                {"tf32", AutoCast::Type::TF32},
                                                {"fp8_e4m3", AutoCast::Type::Fp8E4M3}}));
  app.add_option(
         "-O,--optimization-level", options.level,
         "0: each operation by itself, code made quickly; 1: code made quickly where little "
         "time is spent; 2 (the default); 3: schedules are measured (as with --tune=on)")
      ->option_text("0|1|2|3")
      ->check(CLI::Range(0u, 3u));
  app.add_option("--distribution-strategy", options.distributionStrategy,
                 "how a program is partitioned among devices; not supported yet");
  std::map<std::string, ModelType> modelTypeNames;
  for (const ModelTypeInfo &each : modelTypes) {
    modelTypeNames.emplace(each.name, each.type);
  }
  app.add_option("--model-type", options.modelType,
                 "what the program is, where plans for it differ: generic (the default), "
                 "transformer or unet-inference")
      ->option_text("generic|transformer|unet-inference")
      ->transform(CLI::CheckedTransformer(modelTypeNames));
  app.add_flag("!--no-cache", options.useCache, "compile every kernel anew");
  app.add_option("--cache-size", options.cacheBytes,
                 "the most bytes that the kernel cache may take, such as 500MB (default 1GB)")
      ->envname("DRUMLIN_CACHE_SIZE")
      ->transform(CLI::AsSizeValue(false))
      ->check(CLI::Range(uint64_t(0), uint64_t(1) << 62));
  app.add_option(
         "--memory-budget", options.memoryBudget,
         "the most bytes that a call may hold, with arguments, results and weights, such as "
         "500MB; status 6 where it holds more")
      ->transform(CLI::AsSizeValue(false))
      ->check(CLI::Range(uint64_t(1), uint64_t(1) << 62));
  app.add_option("--num-parallel-jobs", options.threads,
                 "threads that compile kernels (0: one for each processor)")
      ->check(CLI::Range(0u, maxThreads));
  app.add_option("--weights", options.weightsFile,
                 "a .safetensors or .npz file whose arrays bind the arguments of their names "
                 "(or in0, in1, …); for an image, its side file, or the file that it was compiled "
                 "with for weights in place");
  using InPlace = CompileOptions::WeightsInPlace;
  app.add_option("--weights-in-place", options.weightsInPlace,
                 "use weights where they lie in the file, as they lie: no copy is written. The "
                 "image knows them by samples, or by a hash of all elements as well")
      ->option_text("sampled|hashed")
      ->transform(CLI::CheckedTransformer(std::map<std::string, InPlace>{
          {"sampled", InPlace::Sampled}, {"hashed", InPlace::Hashed}}));
  app.add_option("--dump-phases", options.dumpPhases,
                 "write the program after each phase into this folder");
  app.add_option("--dump-pass", options.dumpPass,
                 "print the program after passes that match this expression");
  app.add_option("--dump-llvm", options.dumpLlvm,
                 "write the LLVM code of every kernel that is compiled into this folder");
  app.add_option("--stop-after", options.stopAfter, "stop after this phase");
  app.add_option("--require", options.requirements,
                 "fail unless the plan keeps this, as `dot@*mlp*: fused(bias)`; may be repeated")
      ->expected(1)
      ->take_all();
  app.add_option("--static-args", options.staticArguments,
                 "arguments, by number, that are the same at every call: laid out once")
      ->delimiter(',');
  app.add_option("--force-kernel", options.forcedKernels,
                 "the kernel of dots and convolutions, as `dot@*mlp*=packed`; may be repeated")
      ->expected(1)
      ->take_all();
  app.add_option("--disable-pass", options.disabledPasses,
                 "leave out the pass of this name; may be repeated")
      ->expected(1)
      ->take_all();
  app.add_option("--start-from", options.startFrom, "the input is what this phase made");
}

void addTuningOptions(CLI::App &app, CompileOptions &options) {
  using Tuning = CompileOptions::Tuning;
  std::map<std::string, Tuning> words = {
      {"off", Tuning::Off}, {"on", Tuning::On}, {"require", Tuning::Require}};
  app.add_option("--tune", options.tuning,
                 "off: kernels take the cost model's schedules; on: measured ones, from the record "
                 "or, where they aren't there, measured now; require: those of the record only")
      ->transform(CLI::CheckedTransformer(words).description("{off,on,require}"))
      ->default_str("off; on at -O3");
  app.add_option("--time-budget", options.timeBudget,
                 "seconds after which no more schedules are measured (0: no limit)")
      ->check(CLI::NonNegativeNumber);
  app.add_option("--tune-record", options.tuningRecord,
                 "the file that holds what was measured; --tune=on adds to it");
  app.add_option("--tune-seconds", options.tuningSeconds,
                 "of processor time that measuring one kernel may take")
      ->check(CLI::NonNegativeNumber)
      ->capture_default_str();
}

} // namespace drumlin::cli
