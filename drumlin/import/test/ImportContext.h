// The MLIR context for import tests.
#pragma once

#include "drumlin/import/Import.h"

#include "mlir/IR/MLIRContext.h"

#include <memory>

namespace drumlin {

inline std::unique_ptr<mlir::MLIRContext> makeContext() {
  mlir::DialectRegistry registry;
  registerDialects(registry);
  return std::make_unique<mlir::MLIRContext>(registry);
}

} // namespace drumlin
