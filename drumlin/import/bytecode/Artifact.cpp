#include "drumlin/import/bytecode/Artifact.h"

#include "drumlin/import/ProgramCheck.h"
#include "drumlin/ir/vhlo/conversion/VhloConversion.h"
#include "drumlin/support/diagnostics/ProgramErrors.h"
#include "drumlin/support/diagnostics/UnsupportedErrors.h"

#include "mlir/IR/Verifier.h"

using namespace mlir;

namespace drumlin {

static bool hasVersionedOperations(ModuleOp module) {
  return module
      ->walk([](Operation *op) {
        return isa_and_nonnull<vhlo::VhloDialect>(op->getDialect()) ? WalkResult::interrupt()
                                                                    : WalkResult::advance();
      })
      .wasInterrupted();
}

// Returns the error if an artifact is of a newer release, so that it isn't reported as invalid.
static std::optional<Diagnostic> newerRelease(StringRef message, const BytecodeHeader *header,
                                              StringRef name) {
  StringRef producer = header ? StringRef(header->producer) : StringRef();
  if (!producer.consume_front("StableHLO_v")) {
    return std::nullopt;
  }
  std::optional<vhlo::Version> version = vhlo::Version::parse(producer);
  if (!version || *version <= vhlo::newestVersion) {
    return std::nullopt;
  }
  return diagnose(errors::UnsupportedFormat,
                  "the artifact uses StableHLO " + version->str() + ", newer than " +
                      vhlo::newestVersion.str() + ": " + message.str(),
                  name.str(), "write it for an older version of StableHLO");
}

std::optional<Diagnostic> readArtifact(ModuleOp module, const BytecodeHeader *header,
                                       StringRef name) {
  if (!hasVersionedOperations(module)) {
    return std::nullopt;
  }
  auto invalid = [&](std::string message, Location loc) {
    if (std::optional<Diagnostic> newer = newerRelease(message, header, name)) {
      return *newer;
    }
    std::string location = str(loc);
    return diagnose(errors::ArtifactInvalid, std::move(message),
                    location.empty() ? name.str() : location);
  };
  // Verifies the module first, since conversions rely on operand counts that match the operation
  // table.
  std::optional<Diagnostic> error;
  {
    ScopedDiagnosticHandler handler(module.getContext(), [&](mlir::Diagnostic &diagnostic) {
      if (!error) {
        error = invalid(diagnostic.str(), diagnostic.getLocation());
      }
      return success();
    });
    if (failed(verify(module))) {
      return error ? error : invalid("the artifact isn't a program", module.getLoc());
    }
  }
  std::optional<vhlo::VersionObstacle> obstacle = vhlo::changeVersion(module, vhlo::newestVersion);
  if (!obstacle) {
    obstacle = vhlo::convertToStablehlo(module);
  }
  if (obstacle) {
    return invalid(obstacle->message, obstacle->location);
  }
  return std::nullopt;
}

Diagnostic explainBytecodeError(StringRef message, const BytecodeHeader &header, StringRef name) {
  std::string text = message.empty() ? "the bytecode isn't a program" : message.str();
  if (std::optional<Diagnostic> newer = newerRelease(text, &header, name)) {
    return *newer;
  }
  return diagnose(errors::BytecodeInvalid, text, name.str());
}

} // namespace drumlin
