// Reads programs (text or bytecode of the `stablehlo`, `chlo` and `func` dialects, portable
// artifacts, HLO) as verified MLIR modules. For any input bytes, the result is a module or a
// diagnostic with a location.
#pragma once

#include "drumlin/hlo/proto/Proto.h"
#include "drumlin/import/ImportLimits.h"
#include "drumlin/support/Diagnostics.h"

#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/IR/BuiltinOps.h"
#include "mlir/IR/DialectRegistry.h"
#include "mlir/IR/OwningOpRef.h"

namespace drumlin {

// Registers the dialects of programs: func, stablehlo, chlo, sdy, sizes, vhlo, and dialects that
// only occur in attribute names.
void registerDialects(mlir::DialectRegistry &registry);

// Reads a program. `text` may also be bytecode or an artifact. `name` may be a path. The context
// must have the registered dialects; its diagnostic handlers aren't called. Operations keep the
// locations that the text states. Other operations get `name:line:column`, where `name` has no
// folders, so that the compiled code doesn't depend on the program's folder. Errors give the full
// `name`. Their codes are FileNotReadable, D2xxx and D4xxx.
Result<mlir::OwningOpRef<mlir::ModuleOp>> importText(std::string_view text, std::string_view name,
                                                     mlir::MLIRContext &context,
                                                     const ImportLimits &limits = {});
Result<mlir::OwningOpRef<mlir::ModuleOp>>
importFile(const std::string &path, mlir::MLIRContext &context, const ImportLimits &limits = {});
// Reads a serialized HLO module of a known message type.
Result<mlir::OwningOpRef<mlir::ModuleOp>>
importHloProto(std::string_view bytes, hlo::ProtoMessage message, std::string_view name,
               mlir::MLIRContext &context, const ImportLimits &limits = {});

} // namespace drumlin
