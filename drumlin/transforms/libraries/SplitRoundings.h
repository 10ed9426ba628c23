// Roundings in front of a product as kernels of their own, so that a library can read what they
// make.
#pragma once

#include "drumlin/ir/plan/PlanDialect.h"
#include "llvm/ADT/DenseMap.h"

namespace drumlin {

// Products that are split so, in program order: they share kernels that convert one value to one
// type.
class RoundingSplitter {
public:
  // A product before `gemm` that takes the inputs rounded which `gemm` itself rounds: elements that
  // are converted between floating-point types, clamped between constants or cut to fewer bits,
  // and moved at most besides. Null where there are none. `gemm` stays as it is.
  plan::GemmOp split(plan::GemmOp gemm);
  // Takes the last product that was split back, with the kernels that it alone uses.
  void undo(plan::GemmOp split);

private:
  mlir::Value rounded(plan::GemmOp gemm, mlir::Value input,
                      llvm::ArrayRef<mlir::Operation *> roundings);

  // In one block, by what is converted and to which type.
  llvm::DenseMap<std::pair<mlir::Value, mlir::Type>, plan::LoopOp> conversions;
};

} // namespace drumlin
