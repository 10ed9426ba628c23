// Settings with which large constants are printed differently than by MLIR's own printer.
#pragma once

#include "mlir/IR/DialectInterface.h"
#include "mlir/IR/MLIRContext.h"
#include "llvm/Support/raw_ostream.h"

namespace drumlin::stablehlo {

// Name of the resource that MLIR's printer writes for large elements that it elides.
inline constexpr llvm::StringLiteral elidedKey = "__elided__";

// Settings for printing `stablehlo.constant`. While a module is printed to `stream`, large
// constants are written piece by piece as hexadecimal digits; MLIR's printer would first create two
// copies of the complete text in memory. Each boolean is written as one byte, which is the format
// of the newest MLIR. MLIR 22 packs eight booleans into a byte. importText reads both formats.
class ConstantPrinting : public mlir::DialectInterface::Base<ConstantPrinting> {
public:
  explicit ConstantPrinting(mlir::Dialect *dialect) : Base(dialect) {}

  // The stream to which a module is being printed; null while no module is printed. The caller that
  // prints owns the stream. A context prints one module at a time.
  const llvm::raw_ostream *stream = nullptr;
  // Whether a module is printed with elideLargeElementsAttrs(), so that held elements
  // (HeldElements.h) are elided like other large elements.
  bool elidesHeld = false;
};

// Sets ConstantPrinting::elidesHeld for the lifetime of the object.
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
