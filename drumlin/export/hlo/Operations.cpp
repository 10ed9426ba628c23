#include "drumlin/export/hlo/Operations.h"

#include "mlir/IR/OpDefinition.h"

#include "llvm/ADT/STLExtras.h"

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
#include "drumlin/export/hlo/OperationTable.def"
};

std::optional<OperationWriter> findWriter(mlir::Operation *op) {
  static const llvm::StringMap<const Row *> byName = [] {
    llvm::StringMap<const Row *> map;
    for (const Row &row : rows) {
      map[row.operation] = &row;
    }
    return map;
  }();
  if (const Row *row = byName.lookup(op->getName().getStringRef())) {
    return OperationWriter{row->write, row->opcode.str()};
  }
  bool isStablehlo = op->getName().getDialectNamespace() == "stablehlo";
  if (!isStablehlo || !op->hasTrait<mlir::OpTrait::Elementwise>()) {
    return std::nullopt;
  }
  std::string opcode = op->getName().stripDialect().str();
  llvm::replace(opcode, '_', '-');
  return OperationWriter{writePlain, opcode};
}

} // namespace drumlin::hlo
