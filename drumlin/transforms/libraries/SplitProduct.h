// Splits a kernel with a GEMM into the parts given by a cut.
#pragma once

#include "drumlin/ir/plan/GemmOp.h"
#include "drumlin/ir/plan/LoopOp.h"
#include "drumlin/transforms/libraries/ProductCuts.h"

namespace drumlin {

struct ProductParts {
  plan::GemmOp product;                   // the GEMM that the cut leaves
  plan::LoopOp after;                     // kernel after the GEMM; null if there is none
  llvm::SmallVector<mlir::Value> results; // values that replace the original kernel's results
};

// Creates the parts before the original kernel, which stays and keeps its users. GEMMs share the
// kernels that compute equal operands from equal values.
class ProductSplitter {
public:
  ProductParts split(plan::GemmOp gemm, const ProductCut &cut);
  // Erases the parts of the last split GEMM, and the kernels that only it uses.
  void undo(const ProductParts &parts);

private:
  mlir::Value made(plan::GemmOp gemm, const OperandCut &cut);

  std::vector<plan::LoopOp> loops; // kernels that compute operands
};

} // namespace drumlin
