// A plan.gemm with a dot, taken apart into what the call of a library is made of: matrices with
// their strides, scales, and the steps of the epilogue in order.
#pragma once

#include "drumlin/ir/indexing/StridedView.h"
#include "drumlin/ir/plan/PlanDialect.h"
#include "drumlin/ir/stablehlo/ProductRoles.h"
#include "drumlin/target/LibraryCall.h"

#include <array>
#include <variant>

namespace drumlin {

// Something that fits no library, or not the one in question.
struct PartsLimit {
  LibraryLimit limit;
  std::string detail;
};

// A value as a step reads it: the elements of one in the kernel (an input, a constant, or something
// small that the kernel computes), converted and moved.
struct ReadValue {
  mlir::Value value;
  // In order, without those to types that hold all values of the one before.
  llvm::SmallVector<ElementType> conversions;
  StridedView view; // of the step's elements in the value's memory

  ElementType type() const;
  // Whether it is an input of the kernel as it lies in memory.
  bool isInput() const { return conversions.empty() && mlir::isa<mlir::BlockArgument>(value); }
};

struct ScaleFactor : ReadValue { // its view is over the dot's operand
  bool divides = false;
};

struct OperandParts {
  mlir::BlockArgument data;
  StridedView view; // over the dot's operand
  std::vector<ScaleFactor> scales;
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

struct GemmParts {
  OperandParts lhs, rhs;
  EpilogueSteps epilogue;
  bool wantsTf32 = false;
  stablehlo::ProductRoles roles; // of the dot's dimensions
};

std::variant<GemmParts, PartsLimit> gemmParts(plan::GemmOp gemm);

// Nothing where strides don't describe the data movement.
std::optional<ReadValue> readValue(mlir::Value value);

} // namespace drumlin
