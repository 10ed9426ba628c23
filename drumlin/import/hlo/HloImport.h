// HLO to StableHLO: each computation that is called becomes a function, the entry `main`;
// fusions are calls, tuples are their elements.
#pragma once

#include "drumlin/hlo/proto/Proto.h"
#include "drumlin/support/Diagnostics.h"

#include "mlir/IR/BuiltinOps.h"
#include "mlir/IR/OwningOpRef.h"

namespace drumlin {

// The module, not verified yet; MLIR's verifier knows what operations take. Locations are lines of
// the text, `fileName:line:column`, under the instruction's name and the `op_name` of its metadata;
// of a proto, lines of the text that `drumlin print --exact` writes of it.
// `fillElided`: as ImportLimits has it. Without it, a module of left-out values says where they are
// (elidedAttribute).
// Fails where the text isn't HLO, with what hlo::parse() or hlo::readProto() says, and where
// StableHLO has no operation, type or attribute for what it says.
// `message`: what the bytes are a message of, if they are known to be one.
Result<mlir::OwningOpRef<mlir::ModuleOp>>
importHlo(llvm::StringRef text, llvm::StringRef fileName, mlir::MLIRContext &context,
          llvm::StringRef fillElided = {}, std::optional<hlo::ProtoMessage> message = std::nullopt);

} // namespace drumlin
