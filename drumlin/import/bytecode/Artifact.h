// Converts portable artifacts, after MLIR's bytecode reader, to StableHLO.
#pragma once

#include "drumlin/import/bytecode/BytecodeScan.h"

#include "mlir/IR/BuiltinOps.h"

namespace drumlin {

// Upgrades a module with `vhlo` operations to the newest release and converts it to `stablehlo`;
// other modules don't change. `header` is null for text. Returns nullopt on success. Errors:
// ArtifactInvalid, and UnsupportedFormat for artifacts of a newer release.
std::optional<Diagnostic> readArtifact(mlir::ModuleOp module, const BytecodeHeader *header,
                                       llvm::StringRef name);

// Returns the error for a file that MLIR's reader rejected with `message`: BytecodeInvalid or
// UnsupportedFormat.
Diagnostic explainBytecodeError(llvm::StringRef message, const BytecodeHeader &header,
                                llvm::StringRef name);

} // namespace drumlin
