// Writes the attribute `window={size=3x3 stride=2x2 pad=1_1x1_1}` of convolutions and window
// reductions.
#pragma once

#include "mlir/IR/BuiltinAttributes.h"

#include <string>

namespace drumlin::hlo {

// The window's parameters, one number for each dimension; empty lists mean the defaults.
struct WindowTexts {
  llvm::SmallVector<int64_t> sizes;
  llvm::ArrayRef<int64_t> strides, baseDilations, windowDilations;
  std::optional<mlir::DenseIntElementsAttr> padding; // low and high, a row per dimension
  llvm::ArrayRef<bool> reversal;
};

// Returns `, window={…}`; empty for a window without dimensions.
std::string windowText(const WindowTexts &window);

} // namespace drumlin::hlo
