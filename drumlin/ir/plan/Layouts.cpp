#include "drumlin/ir/plan/Layouts.h"

using namespace mlir;

namespace drumlin {

plan::LayoutAttr layoutAttr(MLIRContext *context, std::span<const int64_t> order) {
  SmallVector<int64_t> minorToMajor(order.rbegin(), order.rend());
  return plan::LayoutAttr::get(context, minorToMajor);
}

DimensionOrder orderOf(plan::LayoutAttr layout) {
  ArrayRef<int64_t> minorToMajor = layout.getMinorToMajor();
  return DimensionOrder(minorToMajor.rbegin(), minorToMajor.rend());
}

RankedTensorType physicalType(RankedTensorType type, std::span<const int64_t> order) {
  return type.clone(ArrayRef<int64_t>(physicalShape(type.getShape(), order)));
}

std::optional<DimensionOrder> argumentOrder(func::FuncOp function, unsigned number) {
  auto layout = function.getArgAttrOfType<plan::LayoutAttr>(number, layoutAttribute);
  return layout ? std::optional(orderOf(layout)) : std::nullopt;
}

std::optional<DimensionOrder> resultOrder(func::FuncOp function, unsigned number) {
  auto layout = function.getResultAttrOfType<plan::LayoutAttr>(number, layoutAttribute);
  return layout ? std::optional(orderOf(layout)) : std::nullopt;
}

Shape logicalShape(Type type, const std::optional<DimensionOrder> &order) {
  ArrayRef<int64_t> shape = cast<RankedTensorType>(type).getShape();
  return order ? physicalShape(shape, inverseOrder(*order)) : Shape(shape);
}

} // namespace drumlin
