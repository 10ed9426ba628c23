// In exported programs, a `reduce_window` that has operands instead of attributes is a call of
// `custom_call @stablehlo.dynamic_reduce_window`. The call refers to the function that combines
// elements.
#pragma once

#include "drumlin/ir/stablehlo/StablehloOps.h"
#include "mlir/Dialect/Func/IR/FuncOps.h"

namespace drumlin::stablehlo {

struct DynamicReduceWindow {
  mlir::ValueRange inputs, initValues;
  mlir::Value dimensions, strides, baseDilations, windowDilations, padding;
  mlir::FlatSymbolRefAttr reducer;

  // Returns the parts of such a call; nothing for any other operation, or if the call's operands do
  // not fit.
  static std::optional<DynamicReduceWindow> of(mlir::Operation *op);
  // Whether the function has the signature of a reducer of the inputs' elements.
  bool isReducer(mlir::func::FuncOp function) const;
};

} // namespace drumlin::stablehlo
