// Converts StableHLO to HLO text that XLA can read. Functions and regions become computations.
#pragma once

#include "drumlin/hlo/proto/Proto.h"

#include "mlir/IR/BuiltinOps.h"

namespace drumlin {

// Converts a verified module, whose function `main` becomes the entry. Locations become metadata.
// Fails with ArtifactUnsupported if HLO has no matching instruction, element type or literal.
Result<std::string> exportHlo(mlir::ModuleOp module);

// Returns the opcode to which an operation of a registered dialect is converted, such as
// `shift-left` for `stablehlo.shift_left`; nullopt if there is none.
std::optional<std::string> hloOpcodeOf(llvm::StringRef operation, mlir::MLIRContext &context);

// Like exportHlo, but returns an HLO proto.
Result<std::string> exportHloProto(mlir::ModuleOp module, hlo::ProtoForm form);

} // namespace drumlin
