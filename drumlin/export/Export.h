// Writes programs: as text, as MLIR bytecode, as a portable artifact that any release of StableHLO
// from its version on reads, or as HLO.
#pragma once

#include "drumlin/ir/vhlo/Version.h"
#include "drumlin/support/Diagnostics.h"

#include "mlir/IR/BuiltinOps.h"

namespace drumlin {

enum class ProgramFormat {
  Text,         // as importText reads it
  Bytecode,     // of the same operations; no other release is promised to read it
  Artifact,     // of `vhlo` operations
  Hlo,          // text that XLA reads, as importText does (drumlin/export/hlo)
  HloProto,     // the same module as a serialized `HloModuleProto`
  HloProtoText, // and as the text of that message
};

struct ExportOptions {
  ProgramFormat format = ProgramFormat::Artifact;
  vhlo::Version target = vhlo::newestVersion; // of an artifact
};

// A verified module's bytes. For text, attributes that say what holds anyway are taken off; for an
// artifact, the module's operations are replaced, and it is fit only to be thrown away. Errors:
// ArtifactUnsupported, UnknownVersion.
Result<std::string> exportProgram(mlir::ModuleOp module, const ExportOptions &options = {});
// The same, piece by piece: large constants are never in memory twice. After an error what was
// written is no program.
Status exportProgram(mlir::ModuleOp module, const ExportOptions &options, llvm::raw_ostream &out);

// A version from 0.9.0 to the newest, as `1.17.0`; errors name `location`: UnknownVersion.
Result<vhlo::Version> targetVersion(std::string_view text, std::string_view location);

} // namespace drumlin
