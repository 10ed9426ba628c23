#include "drumlin/transforms/libraries/ReadValue.h"

#include "drumlin/ir/indexing/IndexingInterface.h"
#include "drumlin/ir/stablehlo/ConvertOp.h"
#include "drumlin/ir/stablehlo/StablehloTypes.h"
#include "drumlin/support/FloatFormats.h"

using namespace mlir;

namespace drumlin {

static ElementType typeOf(Value value) { return elementTypeOf(value.getType()); }

ElementType ReadValue::type() const {
  return conversions.empty() ? typeOf(value) : conversions.back();
}

bool isStridedMovement(Operation *op) {
  std::optional<IndexingMap> map = dataMovementIndexing(op);
  return map && viewThrough(*map, rowMajorView(map->operandSizes()));
}

std::optional<StridedView> viewAfter(ArrayRef<Operation *> moves, std::optional<StridedView> view) {
  for (Operation *move : llvm::reverse(moves)) {
    view = view ? viewThrough(*dataMovementIndexing(move), *view) : std::nullopt;
  }
  return view;
}

std::optional<ReadValue> readValue(Value value) {
  ReadValue read;
  SmallVector<Operation *> moves;
  Operation *op = value.getDefiningOp();
  for (; op && (isa<stablehlo::ConvertOp>(op) || isStridedMovement(op));
       op = value.getDefiningOp()) {
    Value operand = op->getOperand(0);
    if (isStridedMovement(op)) {
      moves.push_back(op);
    } else if (!holdsAll(typeOf(value), typeOf(operand))) {
      read.conversions.push_back(typeOf(value));
    }
    value = operand;
  }
  std::reverse(read.conversions.begin(), read.conversions.end());
  std::optional<StridedView> view = viewAfter(moves, rowMajorView(shapeOf(value)));
  if (!view) {
    return std::nullopt;
  }
  read.value = value;
  read.view = std::move(*view);
  return read;
}

} // namespace drumlin
