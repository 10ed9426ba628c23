// Portable artifacts after MLIR's reader and before it is known what they say.
#pragma once

#include "drumlin/import/bytecode/BytecodeScan.h"

#include "mlir/IR/BuiltinOps.h"

namespace drumlin {

// Takes a module with operations of `vhlo` to the newest release and on to `stablehlo`; others stay
// as they are. `header` is null for text. Nothing where all went well. Errors: ArtifactInvalid, and
// UnsupportedFormat for an artifact that is of a newer release.
std::optional<Diagnostic> readArtifact(mlir::ModuleOp module, const BytecodeHeader *header,
                                       llvm::StringRef name);

// Why MLIR's reader didn't take a file, `message` being what it said. Errors: BytecodeInvalid,
// UnsupportedFormat.
Diagnostic explainBytecodeError(llvm::StringRef message, const BytecodeHeader &header,
                                llvm::StringRef name);

} // namespace drumlin
