// Brings training steps into forms that library epilogues support. A forward GEMM stores the input
// of its activation. The GEMM of the activation's gradient reads this value and computes the
// derivative from it. The GEMM whose result or operand is summed also writes that sum, the bias
// gradient.
#pragma once

#include "drumlin/ir/plan/GemmOp.h"
#include "drumlin/ir/plan/LoopOp.h"
#include "drumlin/ir/stablehlo/ReduceOp.h"

#include <optional>
#include <utility>
#include <vector>

namespace drumlin {

// A mask, written by a forward GEMM, that says where the input of its relu is above 0. The relu's
// result is above 0 at the same positions, and the GEMM writes that result too. So readers of the
// mask can read the result instead.
struct ReluMask {
  mlir::OpOperand *mask;  // operand of the region's terminator
  mlir::Value relu, zero; // values of the region
};
std::vector<ReluMask> findReluMasks(plan::GemmOp forward);

// Computes the mask from the relu's result.
void applyReluMask(const ReluMask &found);

// Results of a forward GEMM that the epilogues of other GEMMs can recompute. These GEMMs then read
// the input of the activation instead.
struct HandOver {
  plan::GemmOp forward;
  mlir::Value entering;                // the activation's input, in the region of `forward`
  llvm::SmallVector<unsigned> results; // results that `forward` no longer stores
  int64_t bytesSaved = 0;              // bytes that no longer pass through memory; may be negative
};

std::optional<HandOver> findHandOver(plan::GemmOp forward);

// Rebuilds the GEMMs, and returns the new forward GEMM.
plan::GemmOp applyHandOver(const HandOver &found);

// A gradient fused into the wrong GEMM. A forward GEMM computes the gradient elementwise from its
// own result and that of the backward GEMM. This fusion was possible because the backward GEMM
// doesn't depend on the forward GEMM.
struct MisplacedGradient {
  plan::GemmOp forward, backward;
  mlir::BlockArgument factor;            // in the forward region: the backward GEMM's result
  llvm::SmallVector<mlir::Value> handed; // in the forward region: other operands of the gradient
  llvm::SmallVector<unsigned> results;   // results of the forward GEMM that depend on `factor`
};
std::optional<MisplacedGradient> findMisplacedGradient(plan::GemmOp forward);

// Moves the computation to the backward GEMM. Returns the rebuilt forward and backward GEMMs.
std::pair<plan::GemmOp, plan::GemmOp> applyMisplacedGradient(const MisplacedGradient &found);

// A sum along some dimensions of a GEMM's result or input, computed by a generated kernel.
struct SumBeside {
  plan::LoopOp kernel;
  stablehlo::ReduceOp reduce;
  mlir::Value summed; // in the program: the value that the kernel reads only to sum it
  mlir::Value sum;    // in the kernel's region: the reduction's result, maybe converted
};

// Returns the sums that the GEMM can compute itself without depending on itself. Sums of its
// results come first.
std::vector<SumBeside> sumsBeside(plan::GemmOp product);

// Creates a copy of the GEMM, inserted before it, whose last result is the sum.
plan::GemmOp withSum(plan::GemmOp product, const SumBeside &beside);

// Makes the kernel read the sum from `product`, the copy that replaced the GEMM.
void readSum(const SumBeside &beside, plan::GemmOp product);

} // namespace drumlin
