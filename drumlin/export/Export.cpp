#include "drumlin/export/Export.h"

#include "drumlin/export/SourcePlace.h"
#include "drumlin/export/hlo/HloExport.h"
#include "drumlin/ir/plan/ElidedConstants.h"
#include "drumlin/ir/sdy/SdyDialect.h"
#include "drumlin/ir/stablehlo/ConstantPrinting.h"
#include "drumlin/ir/stablehlo/StablehloDialect.h"
#include "drumlin/ir/vhlo/conversion/VhloConversion.h"
#include "drumlin/support/diagnostics/OptionErrors.h"
#include "drumlin/support/diagnostics/UnsupportedErrors.h"

#include "mlir/Bytecode/BytecodeWriter.h"
#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/IR/BuiltinDialect.h"

using namespace mlir;

namespace drumlin {

static Diagnostic unsupported(const vhlo::VersionObstacle &obstacle) {
  return diagnose(errors::ArtifactUnsupported, obstacle.message, placeOf(obstacle.location));
}

// Returns an operation that artifacts can't contain, if any. Artifacts can only contain functions,
// StableHLO operations and shardings.
static std::optional<vhlo::VersionObstacle> findForeignOperation(ModuleOp module) {
  std::optional<vhlo::VersionObstacle> obstacle;
  module->walk<WalkOrder::PreOrder>([&](Operation *op) {
    if (isa_and_nonnull<stablehlo::StablehloDialect, func::FuncDialect, sdy::SdyDialect,
                        BuiltinDialect>(op->getDialect())) {
      return WalkResult::advance();
    }
    obstacle = {op->getLoc(), ("artifacts can't have `" + op->getName().getStringRef() +
                               "`, only operations of StableHLO")
                                  .str()};
    return WalkResult::interrupt();
  });
  return obstacle;
}

static Status writeBytecode(ModuleOp module, StringRef producer, int version,
                            llvm::raw_ostream &out) {
  BytecodeWriterConfig config(producer);
  config.setDesiredBytecodeVersion(version);
  if (failed(writeBytecodeToFile(module, out, config))) {
    return diagnose(errors::ArtifactUnsupported, "version " + std::to_string(version) +
                                                     " of MLIR's bytecode can't hold the program");
  }
  return Done{};
}

static Status writeArtifact(ModuleOp module, vhlo::Version target, llvm::raw_ostream &out) {
  std::optional<vhlo::VersionObstacle> obstacle = findForeignOperation(module);
  if (!obstacle) {
    obstacle = vhlo::convertFromStablehlo(module);
  }
  if (!obstacle) {
    obstacle = vhlo::changeVersion(module, target);
  }
  if (obstacle) {
    return unsupported(*obstacle);
  }
  return writeBytecode(module, "StableHLO_v" + target.str(), vhlo::bytecodeVersion(target), out);
}

// Whether an accuracy is the default, which the reference implementation doesn't print.
static bool isDefault(stablehlo::ResultAccuracyAttr accuracy) {
  return accuracy.getMode().getValue() == stablehlo::ResultAccuracyMode::DEFAULT &&
         accuracy.getAtol().isZero() && accuracy.getRtol().isZero() && accuracy.getUlps() == 0;
}

static void writeText(ModuleOp module, llvm::raw_ostream &out) {
  module->walk([](Operation *op) {
    std::optional<Attribute> accuracy = op->getInherentAttr("result_accuracy");
    auto known = accuracy ? dyn_cast_or_null<stablehlo::ResultAccuracyAttr>(*accuracy)
                          : stablehlo::ResultAccuracyAttr();
    if (known && isDefault(known)) {
      op->removeAttr("result_accuracy");
    }
  });
  auto *dialect = module.getContext()->getLoadedDialect<stablehlo::StablehloDialect>();
  auto *printing =
      dialect ? dialect->getRegisteredInterface<stablehlo::ConstantPrinting>() : nullptr;
  if (printing) {
    printing->stream = &out;
  }
  module->print(out);
  out << '\n';
  if (printing) {
    printing->stream = nullptr;
  }
}

Status exportProgram(ModuleOp module, const ExportOptions &options, llvm::raw_ostream &out) {
  if (std::string place = elidedConstantOf(module); !place.empty()) {
    return elidedConstant(place);
  }
  switch (options.format) {
  case ProgramFormat::Text:
    writeText(module, out);
    return Done{};
  case ProgramFormat::Bytecode: {
    constexpr int newestFormat = 6;
    return writeBytecode(module, "Drumlin", newestFormat, out);
  }
  case ProgramFormat::Artifact:
    return writeArtifact(module, options.target, out);
  case ProgramFormat::Hlo: {
    Result<std::string> text = exportHlo(module);
    if (!text) {
      return text.error();
    }
    out << *text;
    return Done{};
  }
  case ProgramFormat::HloProto:
  case ProgramFormat::HloProtoText: {
    Result<std::string> bytes =
        exportHloProto(module, options.format == ProgramFormat::HloProto ? hlo::ProtoForm::Binary
                                                                         : hlo::ProtoForm::Text);
    if (!bytes) {
      return bytes.error();
    }
    out << *bytes;
    return Done{};
  }
  }
  return Done{};
}

Result<std::string> exportProgram(ModuleOp module, const ExportOptions &options) {
  std::string bytes;
  llvm::raw_string_ostream stream(bytes);
  Status status = exportProgram(module, options, stream);
  return status ? Result<std::string>(std::move(bytes)) : Result<std::string>(status.error());
}

Result<vhlo::Version> targetVersion(std::string_view text, std::string_view location) {
  std::optional<vhlo::Version> version = vhlo::Version::parse(text);
  if (!version || !vhlo::isKnown(*version)) {
    return diagnose(errors::UnknownVersion,
                    "expected a version from " + vhlo::oldestVersion.str() + " to " +
                        vhlo::newestVersion.str() + ", got `" + std::string(text) + "`",
                    std::string(location));
  }
  return *version;
}

} // namespace drumlin
