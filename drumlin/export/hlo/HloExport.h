// StableHLO to HLO text, as XLA reads it: each function and each region becomes a computation.
#pragma once

#include "drumlin/hlo/proto/Proto.h"

#include "mlir/IR/BuiltinOps.h"

namespace drumlin {

// Of a verified module; its function `main` is the entry. Locations become metadata. Errors:
// ArtifactUnsupported, for what HLO has no instruction, element type or literal for.
Result<std::string> exportHlo(mlir::ModuleOp module);

// The instruction that an operation of a registered dialect becomes: `shift-left` for
// `stablehlo.shift_left`. Nothing where there is none.
std::optional<std::string> hloOpcodeOf(llvm::StringRef operation, mlir::MLIRContext &context);

// The same module as a message.
Result<std::string> exportHloProto(mlir::ModuleOp module, hlo::ProtoForm form);

} // namespace drumlin
