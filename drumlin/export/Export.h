// Writes programs as text, MLIR bytecode, HLO, or portable artifacts. All StableHLO releases from
// an artifact's version on can read the artifact.
#pragma once

#include "drumlin/ir/vhlo/Version.h"
#include "drumlin/support/Diagnostics.h"

#include "mlir/IR/BuiltinOps.h"

namespace drumlin {

enum class ProgramFormat {
  Text,         // MLIR text
  Bytecode,     // bytecode with the same operations; other releases may fail to read it
  Artifact,     // bytecode with `vhlo` operations
  Hlo,          // HLO text (drumlin/export/hlo)
  HloProto,     // a serialized `HloModuleProto`
  HloProtoText, // the text form of an `HloModuleProto`
};

struct ExportOptions {
  ProgramFormat format = ProgramFormat::Artifact;
  vhlo::Version target = vhlo::newestVersion; // the version of an artifact
};

// Returns the bytes of a verified module. The module is changed: for text, attributes with default
// values are removed; for an artifact, its operations are replaced, and the module must not be used
// afterwards. Errors: ArtifactUnsupported, UnknownVersion.
Result<std::string> exportProgram(mlir::ModuleOp module, const ExportOptions &options = {});
// Writes the bytes incrementally, so that large constants are never in memory twice. After an
// error, the output isn't a valid program.
Status exportProgram(mlir::ModuleOp module, const ExportOptions &options, llvm::raw_ostream &out);

// Parses a StableHLO version such as `1.17.0`. Accepts versions from 0.9.0 to the newest one. Fails
// with UnknownVersion at `location`.
Result<vhlo::Version> targetVersion(std::string_view text, std::string_view location);

} // namespace drumlin
