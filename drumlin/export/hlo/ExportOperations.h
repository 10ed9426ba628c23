// The functions that write operations as HLO, as listed in HloOperations.def. Each family of
// operations has a source file with its functions.
#pragma once

#include "mlir/IR/OperationSupport.h"
#include "llvm/ADT/StringRef.h"

#include <optional>
#include <string>

namespace drumlin::hlo {

class Writer;

struct OperationWriter {
  void (*write)(Writer &, mlir::Operation *, llvm::StringRef opcode);
  std::string opcode;
};

// Returns the writer of an operation; nullopt if HLO has no instruction for it.
std::optional<OperationWriter> findWriter(mlir::OperationName operation);

#define DRUMLIN_HLO_OPERATION(operation, function, opcode)                                         \
  void function(Writer &, mlir::Operation *, llvm::StringRef);
#include "drumlin/export/hlo/HloOperations.def"

} // namespace drumlin::hlo
