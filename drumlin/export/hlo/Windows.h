// `window={size=3x3 stride=2x2 pad=1_1x1_1}`, as convolutions and windows write it.
#pragma once

#include "mlir/IR/BuiltinAttributes.h"

#include <string>

namespace drumlin::hlo {

// A number for each of the window's dimensions; empty lists stand for the default.
struct WindowTexts {
  llvm::SmallVector<int64_t> sizes;
  llvm::ArrayRef<int64_t> strides, baseDilations, windowDilations;
  std::optional<mlir::DenseIntElementsAttr> padding; // rows of low and high
  llvm::ArrayRef<bool> reversal;
};

// `, window={…}`; empty for a window without dimensions.
std::string windowText(const WindowTexts &window);

} // namespace drumlin::hlo
