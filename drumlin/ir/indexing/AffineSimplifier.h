// Simplification of affine expressions by the sizes of their dimensions and symbols, which MLIR's
// own knows nothing of: (d0 * 6 + d1) floordiv 6 is d0 where d1 < 6.
#pragma once

#include "mlir/IR/AffineExpr.h"
#include "llvm/ADT/ArrayRef.h"

#include <utility>
#include <vector>

namespace drumlin {

class AffineSimplifier {
public:
  // Each dimension and symbol takes the values 0 … size - 1.
  AffineSimplifier(llvm::ArrayRef<int64_t> dims, llvm::ArrayRef<int64_t> symbols,
                   mlir::MLIRContext *context)
      : dims(dims.begin(), dims.end()), symbols(symbols.begin(), symbols.end()), context(context) {}

  // Bounds of an expression's values, both inclusive. Operands of a sum count as independent.
  std::pair<int64_t, int64_t> range(mlir::AffineExpr expression) const;

  // An expression of the same values, of sums, products with constants, quotients rounded down and
  // remainders: a sum's terms in one order whatever the order in which they were written.
  mlir::AffineExpr run(mlir::AffineExpr expression) const;

private:
  std::vector<int64_t> dims, symbols;
  mlir::MLIRContext *context;
};

} // namespace drumlin
