// The call by which exported programs say a `reduce_window` whose attributes are values:
// `custom_call @stablehlo.dynamic_reduce_window`, which names the function that combines elements.
#pragma once

#include "drumlin/ir/stablehlo/StablehloOps.h"
#include "mlir/Dialect/Func/IR/FuncOps.h"

namespace drumlin::stablehlo {

struct DynamicReduceWindow {
  mlir::ValueRange inputs, initValues;
  mlir::Value dimensions, strides, baseDilations, windowDilations, padding;
  mlir::FlatSymbolRefAttr reducer;

  // Nothing for any other operation, and where operands don't fit one another.
  static std::optional<DynamicReduceWindow> of(mlir::Operation *op);
  // Whether a function combines elements of the inputs.
  bool isReducer(mlir::func::FuncOp function) const;
};

} // namespace drumlin::stablehlo
