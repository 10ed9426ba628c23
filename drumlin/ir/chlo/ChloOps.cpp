#include "drumlin/ir/chlo/ChloOps.h"
#include "drumlin/ir/stablehlo/ConstantOp.h"
#include "drumlin/ir/stablehlo/Constraints.h"

#include "mlir/IR/DialectImplementation.h"
#include "mlir/Transforms/InliningUtils.h"
#include "llvm/ADT/TypeSwitch.h"

using namespace mlir;

#include "drumlin/ir/chlo/ChloDialect.cpp.inc"
#include "drumlin/ir/chlo/ChloEnums.cpp.inc"

#define GET_ATTRDEF_CLASSES
#include "drumlin/ir/chlo/ChloAttributes.cpp.inc"

#define GET_OP_CLASSES
#include "drumlin/ir/chlo/ChloOps.cpp.inc"

namespace drumlin::chlo {

namespace {
struct ChloInliner : DialectInlinerInterface {
  using DialectInlinerInterface::DialectInlinerInterface;
  bool isLegalToInline(Operation *, Region *, bool, IRMapping &) const final { return true; }
};
} // namespace

void ChloDialect::initialize() {
  addOperations<
#define GET_OP_LIST
#include "drumlin/ir/chlo/ChloOps.cpp.inc"
      >();
  addAttributes<
#define GET_ATTRDEF_LIST
#include "drumlin/ir/chlo/ChloAttributes.cpp.inc"
      >();
  addInterfaces<ChloInliner>();
}

Operation *ChloDialect::materializeConstant(OpBuilder &builder, Attribute value, Type type,
                                            Location loc) {
  auto elements = dyn_cast<ElementsAttr>(value);
  return elements && elements.getType() == type
             ? stablehlo::ConstantOp::create(builder, loc, elements).getOperation()
             : nullptr;
}

OpFoldResult ConstantOp::fold(FoldAdaptor) { return getValue(); }

LogicalResult ConstantOp::inferReturnTypes(MLIRContext *, std::optional<Location>, ValueRange,
                                           DictionaryAttr attributes, OpaqueProperties properties,
                                           RegionRange, SmallVectorImpl<Type> &types) {
  auto value =
      properties ? properties.as<Properties *>()->value : attributes.getAs<ElementsAttr>("value");
  if (!value) {
    return failure();
  }
  types.push_back(value.getShapedType());
  return success();
}

static SmallVector<int64_t> topShape(ArrayRef<int64_t> shape, int64_t k) {
  SmallVector<int64_t> top(shape);
  top.back() = k;
  return top;
}

void TopKOp::build(OpBuilder &builder, OperationState &state, Value operand, int64_t k) {
  auto type = cast<RankedTensorType>(operand.getType());
  RankedTensorType values = type.clone(topShape(type.getShape(), k));
  build(builder, state, values, values.clone(builder.getI32Type()), operand,
        builder.getI64IntegerAttr(k));
}

LogicalResult TopKOp::verify() {
  auto emit = [&] { return emitOpError(); };
  RankedTensorType operand = getOperand().getType();
  int64_t k = getK();
  if (operand.getRank() < 1) {
    return emitOpError() << "expects an operand of rank 1 or more, got rank 0";
  }
  int64_t rowSize = operand.getShape().back();
  if (k < 0 || (k > rowSize && !stablehlo::isDynamic(rowSize))) {
    return emitOpError() << "expects k in [0, " << rowSize
                         << "], the size of the last dimension, got " << k;
  }
  RankedTensorType values = operand.clone(topShape(operand.getShape(), k));
  return success(
      succeeded(stablehlo::checkType(emit, "top_k", "values", getValues().getType(), values)) &&
      succeeded(stablehlo::checkType(emit, "top_k", "indices", getIndices().getType(),
                                     values.clone(IntegerType::get(getContext(), 32)))));
}

IndexingMap TopKOp::indexingOf(OpOperand &operand, unsigned result) {
  IndexingBuilder made = indexingBuilder(operand, result);
  ArrayRef<int64_t> shape = shapeOf(operand.get());
  for (auto [d, size] : llvm::enumerate(shape)) {
    made.at(d) = d + 1 == shape.size() ? made.all(size) : made.dim(d);
  }
  return made.finish();
}

} // namespace drumlin::chlo
