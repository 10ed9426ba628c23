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

// Results of a forward product that the epilogues of other products can make of one value that it
// has, which they read in their place.
struct HandOver {
  plan::GemmOp forward;
  mlir::Value entering;                // of its region: what enters the activation
  llvm::SmallVector<unsigned> results; // that no longer leave the kernel
  int64_t bytesSaved = 0;              // that no longer pass through memory; may be negative
};

// `readsBits`: the library's gradient of a relu reads bits, so that its mask is handed over as it
// is. Else that gradient reads what enters the relu.
std::optional<HandOver> findHandOver(plan::GemmOp forward, bool readsBits);

// Returns the forward product, made anew.
plan::GemmOp applyHandOver(const HandOver &found);

// A mask that a forward product writes for the gradients of its relu, in another form than
// libraries have, which say where the value that enters the relu is above 0: of the relu's result,
// or, as torch writes it, of where that is not above 0.
struct ReluMask {
  plan::GemmOp forward;
  unsigned result = 0;
  mlir::Value entering, zero;                     // of its region: what enters the relu, and 0
  bool isNegative = false;                        // says where it isn't above 0
  llvm::SmallVector<stablehlo::SelectOp> readers; // of the other products' regions
};
std::optional<ReluMask> findReluMask(plan::GemmOp forward);

// Writes it in the form that libraries have.
void applyReluMask(const ReluMask &found);

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

// Whether nothing reads a result but other products, each as the mask of a relu's gradient.
bool isReadAsMask(mlir::Value result);

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
