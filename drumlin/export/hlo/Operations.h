// How each operation is written as HLO: the table OperationTable.def, whose functions lie in files
// by families.
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

// Nothing where HLO has no instruction for the operation.
std::optional<OperationWriter> findWriter(mlir::OperationName operation);

#define DRUMLIN_HLO_OPERATION(operation, function, opcode)                                         \
  void function(Writer &, mlir::Operation *, llvm::StringRef);
#include "drumlin/export/hlo/OperationTable.def"

} // namespace drumlin::hlo
