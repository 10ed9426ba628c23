#include "drumlin/ir/indexing/IndexingInterface.h"

#include "drumlin/ir/sizes/SizeSymbols.h"
#include "mlir/IR/BuiltinTypes.h"
#include "llvm/ADT/STLExtras.h"

using namespace mlir;

#include "drumlin/ir/indexing/IndexingInterface.cpp.inc"

namespace drumlin {

static ArrayRef<int64_t> sizesOf(Value value) {
  return cast<RankedTensorType>(value.getType()).getShape();
}

IndexingMap elementwiseIndexing(OpOperand &operand, unsigned result) {
  Operation *op = operand.getOwner();
  ArrayRef<int64_t> sizes = sizesOf(op->getResult(result)), operandSizes = sizesOf(operand.get());
  return sizes == operandSizes ? IndexingMap::identity(sizes, op->getContext())
                               : IndexingMap::whole(sizes, operandSizes, op->getContext());
}

IndexingMap indexingByDefault(OpOperand &operand, unsigned result) {
  Operation *op = operand.getOwner();
  if (op->hasTrait<OpTrait::Elementwise>()) {
    return elementwiseIndexing(operand, result);
  }
  return IndexingMap::whole(sizesOf(op->getResult(result)), sizesOf(operand.get()),
                            op->getContext());
}

IndexingMap reshapeIndexing(OpOperand &operand, unsigned result) {
  Operation *op = operand.getOwner();
  return IndexingMap::reshape(sizesOf(op->getResult(result)), sizesOf(operand.get()),
                              op->getContext());
}

bool hasSymbolicShapes(Operation *op) {
  return llvm::any_of(op->getOperandTypes(), hasSymbolicSizes) ||
         llvm::any_of(op->getResultTypes(), hasSymbolicSizes) || op->hasAttr(sizedAttributes);
}

IndexingBuilder indexingBuilder(OpOperand &operand, unsigned result) {
  Operation *op = operand.getOwner();
  return {sizesOf(op->getResult(result)), sizesOf(operand.get()), op->getContext()};
}

std::optional<IndexingMap> indexing(OpOperand &operand, unsigned result) {
  auto isKnown = [](Value value) {
    auto type = dyn_cast<RankedTensorType>(value.getType());
    return type && type.hasStaticShape();
  };
  auto op = dyn_cast<IndexingInterface>(operand.getOwner());
  if (!op || !isKnown(operand.get()) || !isKnown(op->getResult(result))) {
    return std::nullopt;
  }
  IndexingMap map = op.indexingOf(operand, result);
  // Most programs have no symbolic shapes; readsBySizes() is not called for them.
  return hasSymbolicShapes(op) && op.readsBySizes() ? map.ofNominalSizes() : map;
}

bool isDataMovement(Operation *op) {
  auto known = dyn_cast_if_present<IndexingInterface>(op);
  return known && known.operationClass() == OperationClass::DataMovement &&
         op->getNumOperands() == 1;
}

std::optional<IndexingMap> dataMovementIndexing(Operation *op) {
  return isDataMovement(op) ? indexing(op->getOpOperand(0)) : std::nullopt;
}

} // namespace drumlin
