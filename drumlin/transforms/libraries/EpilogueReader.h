// The steps of a plan.gemm's epilogue, in the order in which libraries do theirs.
#pragma once

#include "drumlin/ir/plan/PlanDialect.h"
#include "drumlin/target/LibraryCall.h"
#include "drumlin/transforms/libraries/ReadValue.h"

#include <array>
#include <string>
#include <utility>
#include <vector>

namespace drumlin {

// Something that fits no library, or not the one in question.
struct PartsLimit {
  LibraryLimit limit;
  std::string detail;
};

// What is added to each element of a value; its view is over that value.
struct Addend : ReadValue {
  StridedView result;      // where that value's elements lie in the result's memory
  bool isNegative = false; // subtracted
};

// A sum of the result, or of an operand along the contracted dimensions. Its view, and that of
// where the result's elements lie, is over what is summed of the result, of an operand over the
// dot's result.
struct BiasSum : Addend {
  std::optional<unsigned> operand; // of the dot; nothing: the result
  unsigned output = 0;
};

struct EpilogueSteps {
  std::vector<ScaleFactor> alpha; // before anything is added
  std::vector<ScaleFactor> beta;  // of the residual
  // Of the sums' rows and columns, before anything is added: views over the dot's operands.
  std::array<std::vector<ScaleFactor>, 2> rows;
  bool negatesProduct = false; // it is subtracted from the residual or the bias
  std::optional<Addend> residual, bias;
  EpilogueParts::Activation activation = EpilogueParts::None;
  mlir::BlockArgument gradientOf;       // of a gradient: what it reads of the forward pass
  std::vector<ScaleFactor> resultScale; // behind the amax
  std::optional<std::pair<double, double>> clamp;
  std::optional<BiasSum> biasGradient;
  std::optional<unsigned> amax, aux; // outputs
  unsigned result = 0;               // the output that is D
  ElementType resultType = ElementType::F32;
  StridedView resultView; // where the dot's result lies in it
  bool roundsBetween = false;
};

// Fills in the steps; what libraries do otherwise, or not at all, is the limit.
std::optional<PartsLimit> readEpilogue(plan::GemmOp gemm, mlir::Operation *hero,
                                       EpilogueSteps &steps);

} // namespace drumlin
