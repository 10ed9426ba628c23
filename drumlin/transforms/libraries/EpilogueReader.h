// The steps of a plan.gemm's epilogue, in the order in which libraries perform them.
#pragma once

#include "drumlin/ir/plan/GemmOp.h"
#include "drumlin/target/LibraryCall.h"
#include "drumlin/transforms/libraries/ReadValue.h"

#include <array>
#include <string>
#include <utility>
#include <vector>

namespace drumlin {

// A property that no library supports, or that the target's library doesn't support.
struct PartsLimit {
  LibraryLimit limit;
  std::string detail;
};

// A value added elementwise to another value. The addend's view is over that other value.
struct Addend : ReadValue {
  StridedView result;      // positions of the other value's elements in the result's memory
  bool isNegative = false; // subtracted instead of added
};

// A sum of the result, or of a dot operand along the contracting dimensions. The sum's views are
// over the summed result, or, if an operand is summed, over the dot's result.
struct BiasSum : Addend {
  std::optional<unsigned> operand; // number of the summed dot operand; empty: the result
  unsigned output = 0;
};

struct EpilogueSteps {
  std::vector<ScaleFactor> alpha; // factors of the dot, applied before anything is added
  std::vector<ScaleFactor> beta;  // factors of the residual
  // Scales of the accumulators' rows and columns, applied before anything is added; their views are
  // over the dot's operands.
  std::array<std::vector<ScaleFactor>, 2> rows;
  bool negatesProduct = false; // the dot is subtracted from the residual or the bias
  std::optional<Addend> residual, bias;
  EpilogueParts::Activation activation = EpilogueParts::None;
  mlir::BlockArgument gradientOf;       // for an activation gradient: the forward value
  std::vector<ScaleFactor> resultScale; // the library's scale of D, for narrow results
  std::optional<std::pair<double, double>> clamp;
  std::optional<BiasSum> biasGradient;
  std::optional<unsigned> amax, aux; // output numbers
  unsigned result = 0;               // number of the output that is the library's D
  ElementType resultType = ElementType::F32;
  StridedView resultView; // positions of the dot's elements in the result's memory
  bool roundsBetween = false;
};

// Fills in `steps`. Returns a limit if libraries can't perform the epilogue.
std::optional<PartsLimit> readEpilogue(plan::GemmOp gemm, mlir::Operation *hero,
                                       EpilogueSteps &steps);

} // namespace drumlin
