// The `sdy` dialect: attributes carried as text, and the operations of exported programs.
#pragma once

#include "mlir/Bytecode/BytecodeOpInterface.h"
#include "mlir/IR/BuiltinAttributes.h"
#include "mlir/IR/BuiltinOps.h"
#include "mlir/IR/Dialect.h"
#include "mlir/IR/OpDefinition.h"
#include "mlir/IR/OpImplementation.h"
#include "mlir/IR/SymbolTable.h"
#include "mlir/Interfaces/InferTypeOpInterface.h"
#include "mlir/Interfaces/SideEffectInterfaces.h"

#include <optional>

namespace drumlin::sdy {

// An attribute of the dialect: a mnemonic and its body, as `#sdy.` would be followed by them.
mlir::OpaqueAttr makeText(mlir::MLIRContext *context, llvm::StringRef mnemonic,
                          llvm::StringRef body);
// What follows the mnemonic; nothing where the attribute is another.
std::optional<llvm::StringRef> bodyOf(mlir::Attribute attribute, llvm::StringRef mnemonic);

} // namespace drumlin::sdy

#include "drumlin/ir/sdy/SdyDialect.h.inc"

#define GET_OP_CLASSES
#include "drumlin/ir/sdy/SdyOperations.h.inc"
