#include "drumlin/ir/plan/Layouts.h"

#include "drumlin/ir/plan/BitcastOp.h"
#include "drumlin/ir/plan/BufferAssignment.h"
#include "drumlin/ir/sizes/SizeSymbols.h"
#include "drumlin/ir/stablehlo/StablehloTypes.h"

using namespace mlir;

namespace drumlin {

static bool isWeight(func::FuncOp function, unsigned number) {
  return number >= function.getNumArguments() - weightCount(function);
}

bool isLaidOutOnce(func::FuncOp function, unsigned number) {
  bool isStatic =
      function.getArgAttr(number, staticAttribute) && !donatedTo(function.getArgument(number));
  bool isFree = isWeight(function, number) ? !function->hasAttr(weightsInPlaceAttribute) : isStatic;
  return isFree && !function.getArgAttr(number, layoutModeAttribute);
}

bool isWeightInPlace(func::FuncOp function, unsigned number) {
  return isWeight(function, number) && function->hasAttr(weightsInPlaceAttribute) &&
         !function.getArgAttr(number, layoutModeAttribute);
}

plan::LayoutAttr layoutAttr(MLIRContext *context, std::span<const int64_t> order) {
  SmallVector<int64_t> minorToMajor(order.rbegin(), order.rend());
  return plan::LayoutAttr::get(context, minorToMajor, {}, {});
}

DimensionOrder orderOf(plan::LayoutAttr layout) {
  ArrayRef<int64_t> minorToMajor = layout.getMinorToMajor();
  return DimensionOrder(minorToMajor.rbegin(), minorToMajor.rend());
}

RankedTensorType physicalType(RankedTensorType type, std::span<const int64_t> order) {
  RankedTensorType made = type.clone(ArrayRef<int64_t>(physicalShape(type.getShape(), order)));
  if (!hasSymbolicSizes(type)) {
    return made;
  }
  std::vector<SizeExpression> sizes = symbolicSizesOf(type), physical;
  for (int64_t dimension : order) {
    physical.push_back(sizes[static_cast<size_t>(dimension)]);
  }
  return made.cloneWithEncoding(sizes::SizesAttr::get(type.getContext(), str(physical)));
}

static std::optional<BlockedLayout> layoutFrom(plan::LayoutAttr layout, Type type) {
  if (!layout) {
    return std::nullopt;
  }
  DimensionOrder order = orderOf(layout);
  return layout.getBlocks().empty()
             ? BlockedLayout{logicalShape(type, order), {}, order}
             : BlockedLayout{Shape(layout.getOf()), Shape(layout.getBlocks()), order};
}

std::optional<BlockedLayout> argumentLayout(func::FuncOp function, unsigned number) {
  return layoutFrom(function.getArgAttrOfType<plan::LayoutAttr>(number, layoutAttribute),
                    function.getArgumentTypes()[number]);
}

std::optional<BlockedLayout> resultLayout(func::FuncOp function, unsigned number) {
  return layoutFrom(function.getResultAttrOfType<plan::LayoutAttr>(number, layoutAttribute),
                    function.getResultTypes()[number]);
}

void setArgumentLayout(func::FuncOp function, unsigned number, const BlockedLayout &layout) {
  SmallVector<int64_t> minorToMajor(layout.order.rbegin(), layout.order.rend());
  ArrayRef<int64_t> of = layout.isBlocked() ? ArrayRef<int64_t>(layout.shape) : ArrayRef<int64_t>();
  function.setArgAttr(
      number, layoutAttribute,
      plan::LayoutAttr::get(function.getContext(), minorToMajor, layout.blocks, of));
}

Shape logicalShape(Type type, std::span<const int64_t> order) {
  return physicalShape(cast<RankedTensorType>(type).getShape(), inverseOrder(order));
}

// Returns the integer type in which callers pass quantized elements.
static RankedTensorType storedType(RankedTensorType type) {
  std::optional<ElementType> stored =
      isa<quant::QuantizedType>(type.getElementType()) ? tryStoredTypeOf(type) : std::nullopt;
  return stored ? type.clone(toMlirType(*stored, type.getContext())) : type;
}

static CallersValue callersValue(Type type, std::optional<BlockedLayout> layout, bool isComplex) {
  RankedTensorType tensor = storedType(cast<RankedTensorType>(type));
  SmallVector<int64_t> shape(tensor.getShape());
  if (layout) {
    shape.assign(layout->shape.begin(), layout->shape.end());
  }
  if (!isComplex) {
    return {tensor.clone(shape), std::move(layout)};
  }
  // The dimension of real and imaginary parts is the last one of the shape and the innermost one in
  // memory.
  shape.pop_back();
  if (layout) {
    layout->shape.pop_back();
    layout->order.pop_back();
  }
  std::vector<SizeExpression> sizes(shape.begin(), shape.end());
  if (hasSymbolicSizes(tensor)) {
    sizes = symbolicSizesOf(tensor);
    sizes.pop_back();
  }
  return {typeOfSizes(ComplexType::get(tensor.getElementType()), shape, sizes), std::move(layout)};
}

CallersValue callersArgument(func::FuncOp function, unsigned number) {
  return callersValue(function.getArgumentTypes()[number], argumentLayout(function, number),
                      function.getArgAttr(number, complexAttribute) != nullptr);
}

CallersValue callersResult(func::FuncOp function, unsigned number) {
  return callersValue(function.getResultTypes()[number], resultLayout(function, number),
                      function.getResultAttr(number, complexAttribute) != nullptr);
}

Value plan::createBitcast(OpBuilder &builder, Location loc, Type type, Value value,
                          const Shape &from, const DimensionOrder &fromOrder, const Shape &to,
                          const DimensionOrder &toOrder) {
  return plan::BitcastOp::create(builder, loc, type, value, builder.getDenseI64ArrayAttr(from),
                                 builder.getDenseI64ArrayAttr(fromOrder),
                                 builder.getDenseI64ArrayAttr(to),
                                 builder.getDenseI64ArrayAttr(toOrder));
}

} // namespace drumlin
