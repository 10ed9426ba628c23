// A kernel with a product in parts, which a cut names.
#pragma once

#include "drumlin/transforms/libraries/ProductCuts.h"

namespace drumlin {

struct ProductParts {
  plan::GemmOp product;                   // with what the cut leaves to it
  plan::LoopOp after;                     // null: nothing is computed behind it
  llvm::SmallVector<mlir::Value> results; // of the parts, for those of the whole kernel
};

// Makes the parts before the whole kernel, which stays as it is and keeps its users. Products share
// kernels that make equal operands of equal values.
class ProductSplitter {
public:
  ProductParts split(plan::GemmOp gemm, const ProductCut &cut);
  // Takes the last product that was split back, with the kernels that it alone uses.
  void undo(const ProductParts &parts);

private:
  mlir::Value made(plan::GemmOp gemm, const OperandCut &cut);

  std::vector<plan::LoopOp> loops; // that make operands
};

} // namespace drumlin
