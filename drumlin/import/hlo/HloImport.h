// Converts HLO to StableHLO. Called computations become functions, and the entry becomes `main`;
// fusions become calls, and tuples are replaced with their elements.
#pragma once

#include "drumlin/hlo/proto/Proto.h"
#include "drumlin/support/Diagnostics.h"

#include "mlir/IR/BuiltinOps.h"
#include "mlir/IR/OwningOpRef.h"

namespace drumlin {

// Reads an HLO module and converts it. The result isn't verified; MLIR's verifier checks operands
// and types. Locations are `fileName:line:column` in the text, with the instruction's name and the
// `op_name` of its metadata; for a proto, in the text that `drumlin print --exact` prints.
// `fillElided`: see ImportLimits. If it is empty, a module with elided values gets the
// elidedAttribute, which gives the location of the first elided constant. Fails with the errors of
// hlo::parse() or hlo::readProto(), or if StableHLO has no matching operation, type or attribute.
// `message`: the message type if the bytes are known to be a proto.
Result<mlir::OwningOpRef<mlir::ModuleOp>>
importHlo(llvm::StringRef text, llvm::StringRef fileName, mlir::MLIRContext &context,
          llvm::StringRef fillElided = {}, std::optional<hlo::ProtoMessage> message = std::nullopt);

} // namespace drumlin
