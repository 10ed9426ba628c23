#include "drumlin/export/hlo/ExportOperations.h"

#include "mlir/IR/OpDefinition.h"

#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/StringMap.h"

namespace drumlin::hlo {

namespace {
struct Row {
  llvm::StringRef operation;
  void (*write)(Writer &, mlir::Operation *, llvm::StringRef);
  llvm::StringRef opcode;
};
} // namespace

static constexpr Row rows[] = {
#define DRUMLIN_HLO_OPERATION(operation, function, opcode) {operation, function, opcode},
#include "drumlin/export/hlo/HloOperations.def"
};

std::optional<OperationWriter> findWriter(mlir::OperationName operation) {
  static const llvm::StringMap<const Row *> byName = [] {
    llvm::StringMap<const Row *> map;
    for (const Row &row : rows) {
      map[row.operation] = &row;
    }
    return map;
  }();
  if (const Row *row = byName.lookup(operation.getStringRef())) {
    return OperationWriter{row->write, row->opcode.str()};
  }
  bool isStablehlo = operation.getDialectNamespace() == "stablehlo";
  bool isQuantized = operation.stripDialect().starts_with("uniform_"); // HLO has no quantized types
  if (!isStablehlo || isQuantized || !operation.hasTrait<mlir::OpTrait::Elementwise>()) {
    return std::nullopt;
  }
  std::string opcode = operation.stripDialect().str();
  llvm::replace(opcode, '_', '-');
  return OperationWriter{writePlain, opcode};
}

} // namespace drumlin::hlo
