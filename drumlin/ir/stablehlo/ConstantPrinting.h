// Printing of large constants for other tools, where it differs from MLIR's own printer.
#pragma once

#include "mlir/IR/DialectInterface.h"
#include "mlir/IR/MLIRContext.h"
#include "llvm/Support/raw_ostream.h"

namespace drumlin::stablehlo {

// Name of the resource that MLIR's printer writes for large elements that it elides.
inline constexpr llvm::StringLiteral elidedKey = "__elided__";

// Settings for printing `stablehlo.constant`. While a module is printed to `stream`, large
// constants are written piece by piece as hexadecimal digits; MLIR's printer would first create the
// complete text twice. Booleans are written as one byte each, as the newest MLIR reads and writes
// them; MLIR 22 packs eight into a byte. importText reads both forms.
class ConstantPrinting : public mlir::DialectInterface::Base<ConstantPrinting> {
public:
  explicit ConstantPrinting(mlir::Dialect *dialect) : Base(dialect) {}

  // The stream belongs to the caller that prints; null while no module is printed. A context prints
  // one module at a time.
  const llvm::raw_ostream *stream = nullptr;
  // Whether a module is printed with elideLargeElementsAttrs(), so that held elements
  // (HeldElements.h) are elided like other large elements.
  bool elidesHeld = false;
};

// Sets `elidesHeld` as long as the object exists.
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
