// Brings training steps into the forms that libraries have epilogues for: a forward product hands
// the value before its activation to its gradient, which makes the derivative of that, and the
// product whose result or operand is added up writes the gradient of the bias.
#pragma once

#include "drumlin/ir/plan/PlanDialect.h"
#include "drumlin/ir/stablehlo/StablehloOps.h"

#include <optional>
#include <utility>
#include <vector>

namespace drumlin {

// A mask that a forward product writes of where what enters its relu is above 0. That is where the
// relu's result is, which the product writes, too, so that whoever reads the mask may read that.
struct ReluMask {
  mlir::OpOperand *mask;  // of the region's terminator
  mlir::Value relu, zero; // of the region
};
std::vector<ReluMask> findReluMasks(plan::GemmOp forward);

// Makes the mask of the relu's result.
void applyReluMask(const ReluMask &found);

// Results of a forward product that the epilogues of other products can make of one value that it
// has, which they read in their place.
struct HandOver {
  plan::GemmOp forward;
  mlir::Value entering;                // of its region: what enters the activation
  llvm::SmallVector<unsigned> results; // that no longer leave the kernel
  int64_t bytesSaved = 0;              // that no longer pass through memory; may be negative
};

std::optional<HandOver> findHandOver(plan::GemmOp forward);

// Returns the forward product, made anew.
plan::GemmOp applyHandOver(const HandOver &found);

// A gradient that a forward product computes of another product's result, since that doesn't wait
// for it: of both, elementwise.
struct MisplacedGradient {
  plan::GemmOp forward, backward;
  mlir::BlockArgument factor;            // of the forward region: the other product's result
  llvm::SmallVector<mlir::Value> handed; // of that region: what the gradient needs beside it
  llvm::SmallVector<unsigned> results;   // of the forward product, that depend on the factor
};
std::optional<MisplacedGradient> findMisplacedGradient(plan::GemmOp forward);

// Computes it behind the other product. Returns the two, made anew: forward, backward.
std::pair<plan::GemmOp, plan::GemmOp> applyMisplacedGradient(const MisplacedGradient &found);

// A sum that a kernel of our own makes, along some dimensions, of a result or an input of a
// product.
struct SumBeside {
  plan::LoopOp kernel;
  stablehlo::ReduceOp reduce;
  mlir::Value summed; // of the program: what the kernel reads for the sum, and for nothing else
  mlir::Value sum;    // of the kernel's region: the reduction's result, or that converted
};

// Sums that the product may make instead without waiting for itself: those of its results first.
std::vector<SumBeside> sumsBeside(plan::GemmOp product);

// A copy of the product, before it, whose last result is the sum.
plan::GemmOp withSum(plan::GemmOp product, const SumBeside &beside);

// The kernel reads the sum of the copy, which has replaced the product.
void readSum(const SumBeside &beside, plan::GemmOp product);

} // namespace drumlin
