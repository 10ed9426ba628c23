// A `reduce_window` whose window, strides, dilations and padding are operands instead of
// attributes. Exported programs represent it as `custom_call @stablehlo.dynamic_reduce_window`. The
// call refers to the function that combines elements.
#pragma once

#include "drumlin/ir/stablehlo/StablehloDialect.h"
#include "mlir/Dialect/Func/IR/FuncOps.h"

namespace drumlin::stablehlo {

struct DynamicReduceWindow {
  mlir::ValueRange inputs, initValues;
  mlir::Value dimensions, strides, baseDilations, windowDilations, padding;
  mlir::FlatSymbolRefAttr reducer;

  // Returns the properties of such a custom call. Returns nothing for any other operation, or if
  // the number or the shapes of the call's operands are invalid.
  static std::optional<DynamicReduceWindow> of(mlir::Operation *op);
  // Whether the function has the signature of a reducer of the inputs' elements.
  bool isReducer(mlir::func::FuncOp function) const;
};

} // namespace drumlin::stablehlo
