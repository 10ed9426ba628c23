// Verifiers of operations that broadcast their operands.
#include "drumlin/ir/chlo/ChloOps.h"
#include "drumlin/ir/stablehlo/Constraints.h"

using namespace mlir;

namespace drumlin::chlo {

static std::optional<int64_t> broadcastSize(int64_t a, int64_t b) {
  if (a == b || b == 1) {
    return a;
  }
  if (a == 1) {
    return b;
  }
  // If `a` is unknown, it is 1 or equal to `b`, so the result has size `b`.
  if (ShapedType::isDynamic(a)) {
    return b;
  }
  return ShapedType::isDynamic(b) ? std::optional(a) : std::nullopt;
}

std::optional<SmallVector<int64_t>> broadcastShape(ArrayRef<int64_t> lhs, ArrayRef<int64_t> rhs,
                                                   std::optional<ArrayRef<int64_t>> dimensions) {
  bool lhsIsSmaller = lhs.size() < rhs.size();
  ArrayRef<int64_t> smaller = lhsIsSmaller ? lhs : rhs, larger = lhsIsSmaller ? rhs : lhs;
  // If the ranks are equal, `dimensions` is ignored.
  if (lhs.size() == rhs.size()) {
    dimensions = std::nullopt;
  }
  if (dimensions && dimensions->size() != smaller.size()) {
    return std::nullopt;
  }
  SmallVector<int64_t> shape(larger);
  size_t offset = larger.size() - smaller.size();
  int64_t last = -1;
  for (size_t d = 0; d < smaller.size(); ++d) {
    int64_t place = dimensions ? (*dimensions)[d] : static_cast<int64_t>(offset + d);
    if (place <= last || place >= static_cast<int64_t>(larger.size())) {
      return std::nullopt;
    }
    last = place;
    std::optional<int64_t> size = broadcastSize(shape[place], smaller[d]);
    if (!size) {
      return std::nullopt;
    }
    shape[place] = *size;
  }
  return shape;
}

// Returns the element type of the result: a boolean for comparisons, a complex type for `complex`,
// else the operands' type.
static Type expectedElement(Operation *op) {
  Type element = getElementTypeOrSelf(op->getOperand(0));
  if (isa<BroadcastComplexOp>(op)) {
    return ComplexType::get(element);
  }
  return isa<BroadcastCompareOp>(op) ? Type(IntegerType::get(op->getContext(), 1)) : element;
}

LogicalResult verifyBroadcasts(Operation *op) {
  auto emit = [&] { return op->emitOpError(); };
  Type lhs = op->getOperand(0).getType(), rhs = op->getOperand(1).getType();
  Type result = op->getResult(0).getType();
  if (failed(stablehlo::checkBaseline(emit, "broadcast", "rhs", rhs, lhs)) ||
      failed(
          stablehlo::checkBaseline(emit, "broadcast", "the result", result, expectedElement(op)))) {
    return failure();
  }
  auto dimensions = op->getAttrOfType<DenseI64ArrayAttr>("broadcast_dimensions");
  std::optional<SmallVector<int64_t>> shape =
      broadcastShape(shapeOf(op->getOperand(0)), shapeOf(op->getOperand(1)),
                     dimensions ? std::optional(dimensions.asArrayRef()) : std::nullopt);
  if (!shape) {
    return emit() << "expects operands that can be broadcast to one shape, got " << lhs << " and "
                  << rhs << " (broadcast)";
  }
  return stablehlo::checkShape(emit, "broadcast", "the result", shapeOf(op->getResult(0)), *shape);
}

LogicalResult BroadcastSelectOp::verify() {
  auto emit = [&] { return emitOpError(); };
  if (failed(stablehlo::checkBaseline(emit, "broadcast", "on_false", getOnFalse().getType(),
                                      getOnTrue().getType())) ||
      failed(stablehlo::checkBaseline(emit, "broadcast", "the result", getType(),
                                      getOnTrue().getType()))) {
    return failure();
  }
  std::optional<SmallVector<int64_t>> shape =
      broadcastShape(shapeOf(getOnTrue()), shapeOf(getOnFalse()));
  shape = shape ? broadcastShape(*shape, shapeOf(getPred())) : shape;
  if (!shape) {
    return emitOpError() << "expects operands that can be broadcast to one shape, got "
                         << getPred().getType() << ", " << getOnTrue().getType() << " and "
                         << getOnFalse().getType() << " (broadcast)";
  }
  return stablehlo::checkShape(emit, "broadcast", "the result", getType().getShape(), *shape);
}

LogicalResult ConstantLikeOp::verify() {
  return stablehlo::checkElementType([&] { return emitOpError(); }, "constant_like", "the result",
                                     getType(), getValue().getType());
}

// Returns the map of a broadcast, which repeats dimensions of size 1. The dimensions of an operand
// of smaller rank are the result dimensions that `dimensions` lists. Without this list, they are
// the last result dimensions.
IndexingMap broadcastIndexing(OpOperand &operand, unsigned result,
                              std::optional<ArrayRef<int64_t>> dimensions) {
  IndexingBuilder made = indexingBuilder(operand, result);
  ArrayRef<int64_t> shape = shapeOf(operand.get());
  size_t offset = shapeOf(operand.getOwner()->getResult(result)).size() - shape.size();
  for (auto [d, size] : llvm::enumerate(shape)) {
    bool isPlaced = dimensions && offset != 0;
    if (size != 1) {
      made.at(d) = made.dim(isPlaced ? static_cast<size_t>((*dimensions)[d]) : offset + d);
    }
  }
  return made.finish();
}

IndexingMap BroadcastSelectOp::indexingOf(OpOperand &operand, unsigned result) {
  return broadcastIndexing(operand, result, std::nullopt);
}

} // namespace drumlin::chlo
