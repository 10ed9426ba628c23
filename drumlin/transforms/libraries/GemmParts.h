// A plan.gemm with a dot, decomposed into the parts of a library call: matrices with strides,
// scales, and the epilogue's steps in order.
#pragma once

#include "drumlin/ir/plan/GemmOp.h"
#include "drumlin/ir/stablehlo/ProductRoles.h"
#include "drumlin/transforms/libraries/EpilogueReader.h"
#include "drumlin/transforms/libraries/ReadValue.h"

#include <variant>

namespace drumlin {

struct OperandParts {
  mlir::BlockArgument data;
  StridedView view; // strides in `data` along the dot operand's dimensions
  std::vector<ScaleFactor> scales;
};

struct GemmParts {
  OperandParts lhs, rhs;
  EpilogueSteps epilogue;
  bool wantsTf32 = false;
  stablehlo::ProductRoles roles; // roles of the dot's dimensions
};

std::variant<GemmParts, PartsLimit> gemmParts(plan::GemmOp gemm);

} // namespace drumlin
