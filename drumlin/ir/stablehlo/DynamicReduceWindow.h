// The call that represents a `reduce_window` with operands instead of attributes in exported
// programs: `custom_call @stablehlo.dynamic_reduce_window`, which refers to the function that
// combines elements.
#pragma once

#include "drumlin/ir/stablehlo/StablehloOps.h"
#include "mlir/Dialect/Func/IR/FuncOps.h"

namespace drumlin::stablehlo {

struct DynamicReduceWindow {
  mlir::ValueRange inputs, initValues;
  mlir::Value dimensions, strides, baseDilations, windowDilations, padding;
  mlir::FlatSymbolRefAttr reducer;

  // Returns the call's parts; nothing for any other operation, and if its operands do not fit.
  static std::optional<DynamicReduceWindow> of(mlir::Operation *op);
  // Whether the function has the signature of a reducer of the inputs' elements.
  bool isReducer(mlir::func::FuncOp function) const;
};

} // namespace drumlin::stablehlo
