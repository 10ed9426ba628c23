#include "commands/Commands.h"

#include "drumlin/import/Import.h"
#include "drumlin/interpreter/ValueTypes.h"
#include "drumlin/ir/plan/PlanDialect.h"

#include <filesystem>
#include <fstream>

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
  Program program;
  mlir::DialectRegistry registry;
  registerDialects(registry);
  registry.insert<plan::PlanDialect>();
  program.context =
      std::make_unique<mlir::MLIRContext>(registry, mlir::MLIRContext::Threading::DISABLED);
  ImportLimits limits;
  limits.nativeTypesOnly = use == ProgramUse::Native;
  Result<mlir::OwningOpRef<mlir::ModuleOp>> module = importFile(path, *program.context, limits);
  if (!module) {
    return module.error();
  }
  program.module = std::move(*module);
  mlir::func::FuncOp main = entryFunction(*program.module);
  program.arguments = describe(main.getArgumentTypes());
  program.results = describe(main.getResultTypes());
  return program;
}

Result<std::unique_ptr<Executable>>
loadExecutable(const std::string &path, const CompileOptions &options, unsigned threads) {
  LoadOptions load;
  load.threads = threads;
  if (isImage(path)) {
    return Executable::load(path, load);
  }
  Result<Program> program = readProgram(path);
  if (!program) {
    return program.error();
  }
  Result<Compilation> compilation =
      compile(*program->module, programName(path), optionsFor(path, options));
  if (!compilation) {
    return compilation.error();
  }
  if (compilation->image.empty()) {
    return diagnose(DiagnosticCode::UnknownPhase,
                    "a program that stops after phase `" + options.stopAfter +
                        "` has no native code",
                    "--stop-after", "add `--interpret`");
  }
  std::span<const char> bytes(compilation->image);
  return Executable::loadFromMemory(std::as_bytes(bytes), path, load);
}

bool isImage(const std::string &path) {
  std::ifstream file(path, std::ios::binary);
  char magic[4] = {};
  file.read(magic, sizeof(magic));
  return std::string_view(magic, 4) == "\x7f"
                                       "ELF";
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

void addCompileOptions(CLI::App &app, CompileOptions &options) {
  app.add_option("--target-cpu", options.targetCpu, "native, avx512, avx2 or baseline")
      ->capture_default_str();
  app.add_flag("!--no-cache", options.useCache, "compile every kernel anew");
  app.add_option("--compile-threads", options.threads,
                 "threads that compile kernels (0: one for each processor)");
  app.add_option("--dump-phases", options.dumpPhases,
                 "write the program after each phase into this folder");
  app.add_option("--dump-pass", options.dumpPass,
                 "print the program after passes that match this expression");
  app.add_option("--dump-llvm", options.dumpLlvm,
                 "write the LLVM code of every kernel into this folder");
  app.add_option("--stop-after", options.stopAfter, "stop after this phase");
  app.add_option("--start-from", options.startFrom, "the input is what this phase made");
}

} // namespace drumlin::cli
