// Reads programs: text or bytecode of the `stablehlo`, `chlo` and `func` dialects, or a portable
// artifact, becomes a verified MLIR module. Whatever bytes arrive, the answer is a module or a
// located diagnostic.
#pragma once

#include "drumlin/hlo/proto/Proto.h"
#include "drumlin/import/ImportLimits.h"
#include "drumlin/support/Diagnostics.h"

#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/IR/BuiltinOps.h"
#include "mlir/IR/DialectRegistry.h"
#include "mlir/IR/OwningOpRef.h"

namespace drumlin {

// The dialects of programs: func, stablehlo, chlo, sdy, vhlo, and those that only name attributes.
void registerDialects(mlir::DialectRegistry &registry);

// `text` may be bytecode or an artifact as well. `name` may be a path. The context has the
// registered dialects; diagnostics of its own handlers stay untouched. Locations in the module are
// as the text gives them, else `name:line:column` with the last component of the name alone: what
// is compiled doesn't depend on the folder that it lay in. Errors, located by the whole name:
// FileNotReadable, D2xxx, D4xxx.
Result<mlir::OwningOpRef<mlir::ModuleOp>> importText(std::string_view text, std::string_view name,
                                                     mlir::MLIRContext &context,
                                                     const ImportLimits &limits = {});
Result<mlir::OwningOpRef<mlir::ModuleOp>>
importFile(const std::string &path, mlir::MLIRContext &context, const ImportLimits &limits = {});
// A serialized module of HLO, whatever its bytes look like.
Result<mlir::OwningOpRef<mlir::ModuleOp>>
importHloProto(std::string_view bytes, hlo::ProtoMessage message, std::string_view name,
               mlir::MLIRContext &context, const ImportLimits &limits = {});

} // namespace drumlin
