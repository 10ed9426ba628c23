// How large constants are written into programs that others read, where that differs from MLIR's
// own printer.
#pragma once

#include "mlir/IR/DialectInterface.h"
#include "mlir/IR/MLIRContext.h"
#include "llvm/Support/raw_ostream.h"

namespace drumlin::stablehlo {

// Of the resource that MLIR's printer names where it leaves large elements out.
inline constexpr llvm::StringLiteral elidedKey = "__elided__";

// While `stream` is printed to, `stablehlo.constant` writes large elements as hexadecimal digits
// piece by piece (MLIR's printer makes the whole text twice before it writes any of it), and
// booleans as a byte each, as the newest MLIR does and reads (MLIR 22 packs eight into a byte).
// importText reads both.
class ConstantPrinting : public mlir::DialectInterface::Base<ConstantPrinting> {
public:
  explicit ConstantPrinting(mlir::Dialect *dialect) : Base(dialect) {}

  // Belongs to whoever prints; null for none. Contexts print one module at a time.
  const llvm::raw_ostream *stream = nullptr;
  // Whether a module is printed with elideLargeElementsAttrs(): held elements (HeldElements.h) are
  // left out as others are.
  bool elidesHeld = false;
};

// Says so while one is.
class ElidedPrinting {
public:
  explicit ElidedPrinting(mlir::MLIRContext *context);
  ~ElidedPrinting();
  ElidedPrinting(const ElidedPrinting &) = delete;
  ElidedPrinting &operator=(const ElidedPrinting &) = delete;

private:
  ConstantPrinting *printing;
};

} // namespace drumlin::stablehlo
