// Portable artifacts after MLIR's reader and before it is known what they say.
#pragma once

#include "drumlin/import/BytecodeScan.h"

#include "mlir/IR/BuiltinOps.h"

namespace drumlin {

// Takes a module with operations of `vhlo` to the newest release and on to `stablehlo`; others stay
// as they are. Nothing where all went well. Errors: ArtifactInvalid.
std::optional<Diagnostic> readArtifact(mlir::ModuleOp module, llvm::StringRef name);

// Why MLIR's reader didn't take a file, `message` being what it said: an artifact of a newer
// release is no broken one. Errors: BytecodeInvalid, UnsupportedFormat.
Diagnostic explainBytecodeError(llvm::StringRef message, const BytecodeHeader &header,
                                llvm::StringRef name);

} // namespace drumlin
