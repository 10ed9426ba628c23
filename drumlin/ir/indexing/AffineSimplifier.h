// Simplification of affine expressions by the sizes of their dimensions and symbols, which MLIR's
// own simplifier ignores: (d0 * 6 + d1) floordiv 6 is d0 if d1 < 6.
#pragma once

#include "mlir/IR/AffineExpr.h"
#include "llvm/ADT/ArrayRef.h"

#include <utility>
#include <vector>

namespace drumlin {

class AffineSimplifier {
public:
  // `dims` and `symbols` are sizes: each dimension and symbol has the values 0 … size - 1.
  AffineSimplifier(llvm::ArrayRef<int64_t> dims, llvm::ArrayRef<int64_t> symbols,
                   mlir::MLIRContext *context)
      : dims(dims.begin(), dims.end()), symbols(symbols.begin(), symbols.end()), context(context) {}

  // Returns inclusive bounds of an expression's values. Operands of a sum count as independent.
  std::pair<int64_t, int64_t> range(mlir::AffineExpr expression) const;

  // Returns an equal expression that consists of sums, products with constants, quotients rounded
  // down, and remainders. The terms of a sum are in canonical order.
  mlir::AffineExpr run(mlir::AffineExpr expression) const;

private:
  std::vector<int64_t> dims, symbols;
  mlir::MLIRContext *context;
};

} // namespace drumlin
