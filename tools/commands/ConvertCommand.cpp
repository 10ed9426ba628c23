// drumlin convert: converts a program to another format.
#include "commands/Commands.h"

#include "commands/CommandFiles.h"
#include "commands/CommandOptions.h"
#include "drumlin/export/Export.h"
#include "drumlin/hlo/Parser.h"
#include "drumlin/hlo/proto/Proto.h"
#include "drumlin/support/AtomicFile.h"
#include "drumlin/support/diagnostics/InternalErrors.h"
#include "drumlin/support/diagnostics/OptionErrors.h"
#include "drumlin/transforms/simplify/Passes.h"

#include "mlir/Pass/PassManager.h"
#include "llvm/Support/raw_ostream.h"

namespace drumlin::cli {

// A file as a stream that remembers its first error.
class FileStream : public llvm::raw_ostream {
public:
  explicit FileStream(AtomicFile file) : file(std::move(file)) { SetBufferSize(size_t{1} << 20); }
  ~FileStream() override { flush(); }
  Status commit() {
    flush();
    return status ? file.commit() : status;
  }

private:
  void write_impl(const char *data, size_t size) override {
    position += size;
    if (status) {
      status = file.write(std::string_view(data, size));
    }
  }
  uint64_t current_pos() const override { return position; }

  AtomicFile file;
  Status status = Done{};
  uint64_t position = 0;
};

// Replaces operations that HLO lacks by equivalent operations where possible. HLO has only a few of
// CHLO's functions, and no operations whose sizes are operands.
static Status prepareForHlo(mlir::ModuleOp module) {
  mlir::PassManager manager(module.getContext());
  manager.addNestedPass<mlir::func::FuncOp>(createDecomposeOperationsPass({.chloOnly = true}));
  manager.addNestedPass<mlir::func::FuncOp>(createSimplifyDynamicsPass());
  if (failed(manager.run(module))) {
    return diagnose(errors::InternalError, "CHLO operations can't be decomposed");
  }
  return Done{};
}

struct ConvertCommand {
  std::string input, output, version, fillElided;
  ExportOptions options;

  Status run() {
    if (!version.empty()) {
      Result<vhlo::Version> target = targetVersion(version, "--target-version");
      if (!target) {
        return target.error();
      }
      if (options.format != ProgramFormat::Artifact) {
        return diagnose(errors::UnknownVersion, "only artifacts have a version of StableHLO",
                        "--target-version", "leave it out, or write an artifact");
      }
      options.target = *target;
    }
    if (isProto()) {
      Result<std::optional<std::string>> bytes = protoOfHlo();
      if (!bytes) {
        return bytes.error();
      }
      if (*bytes) {
        return writeFile(**bytes);
      }
    }
    mlir::DialectRegistry registry;
    registerDialects(registry);
    mlir::MLIRContext context(registry, mlir::MLIRContext::Threading::DISABLED);
    ImportLimits limits;
    limits.nativeTypesOnly = false;
    limits.convertedOnly = true;
    limits.fillElided = fillElided;
    Result<mlir::OwningOpRef<mlir::ModuleOp>> module = importSource(input, context, limits);
    if (!module) {
      return module.error();
    }
    if (options.format == ProgramFormat::Hlo || isProto()) {
      if (Status status = prepareForHlo(**module); !status) {
        return status;
      }
    }
    Result<AtomicFile> file = AtomicFile::create(output);
    if (!file) {
      return file.error();
    }
    FileStream stream(std::move(*file));
    Status status = exportProgram(**module, options, stream);
    return status ? stream.commit() : status;
  }

private:
  bool isProto() const {
    return options.format == ProgramFormat::HloProto ||
           options.format == ProgramFormat::HloProtoText;
  }

  // Returns an HLO module unchanged, with its fusions and layouts; nullopt for other programs.
  Result<std::optional<std::string>> protoOfHlo() const {
    Result<std::shared_ptr<MappedFile>> file = readSource(input);
    if (!file) {
      return file.error();
    }
    std::optional<Result<hlo::Module>> module = hlo::readHlo((*file)->text(), sourceName(input));
    if (!module) {
      return std::optional<std::string>();
    }
    if (!*module) {
      return module->error();
    }
    Result<std::string> bytes =
        hlo::writeProto(**module, options.format == ProgramFormat::HloProto ? hlo::ProtoForm::Binary
                                                                            : hlo::ProtoForm::Text);
    return bytes ? Result<std::optional<std::string>>(std::move(*bytes)) : bytes.error();
  }

  Status writeFile(std::string_view bytes) const {
    Result<AtomicFile> file = AtomicFile::create(output);
    if (!file) {
      return file.error();
    }
    Status status = file->write(bytes);
    return status ? file->commit() : status;
  }
};

Command addConvert(CLI::App &app) {
  CLI::App *sub = addSubcommand(app, "convert", "write a program as text, bytecode or artifact");
  auto command = std::make_shared<ConvertCommand>();
  addOption(*sub, "program", command->input);
  addOption(*sub, "--output", command->output);
  addChoice(*sub, "--emit", command->options.format,
            {ProgramFormat::Text, ProgramFormat::Bytecode, ProgramFormat::Hlo,
             ProgramFormat::HloProto, ProgramFormat::HloProtoText, ProgramFormat::Artifact});
  addOption(*sub, "--target-version", command->version);
  addOption(*sub, "--fill-elided", command->fillElided);
  return {sub, [command] { return command->run(); }};
}

} // namespace drumlin::cli
