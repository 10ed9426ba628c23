// How a kernel traverses its inputs: which dimension of each input follows which dimension of the
// kernel's traversal. This mapping determines which dimension orders the inputs and outputs may
// have, and the cost of other orders.
#pragma once

#include "drumlin/ir/indexing/StridedView.h"
#include "drumlin/ir/plan/PlanDialect.h"
#include "drumlin/ir/stablehlo/ProductRoles.h"
#include "drumlin/support/Layout.h"

namespace drumlin {

// The value that a kernel traverses: an output, or an operand of a dot.
struct KernelTraversal {
  enum Kind { Output, Lhs, Rhs } kind = Output;
  unsigned output = 0; // index of the output
  Shape shape;
  // For a GEMM's output: the output dimension that each dimension of the dot's result follows, as
  // in InputAccess. Empty for other outputs.
  std::vector<int64_t> heroDimensions;
};

// One way in which a kernel reads an input.
struct InputAccess {
  unsigned input = 0;
  size_t traversal = 0; // index into KernelAccess::traversals
  // The traversal dimension that each input dimension follows; `none` if the kernel reads one fixed
  // position; `all` if it reads the whole dimension at each step, as a reduction does.
  std::vector<int64_t> follows;
  static constexpr int64_t none = -1, all = -2;
  bool isPartial = false; // only sliced or gathered elements are read
  // Input and traversal have the same elements, and each input dimension follows a different
  // traversal dimension. So each order of the input corresponds to one order of the traversal, and
  // vice versa.
  bool isPermutation = false;
};

// Return the orders in which a library reads a dot operand as a matrix: contiguous along the
// contracting dimensions, or contiguous along the free dimensions.
DimensionOrder alongDepth(const stablehlo::ProductRoles::Operand &roles);
DimensionOrder alongFree(const stablehlo::ProductRoles::Operand &roles);

struct KernelAccess {
  std::vector<KernelTraversal> traversals;
  std::vector<InputAccess> inputs;
  // Inputs and outputs that must be row-major. They belong to operations that address elements by
  // position or change a part of their operand in place, and to convolutions, whose windows are
  // contiguous runs.
  std::vector<bool> rowMajorInputs, rowMajorOutputs;
  mlir::Operation *hero = nullptr;              // dot or convolution; null for other kernels
  std::optional<stablehlo::ProductRoles> roles; // set if the hero is a dot_general
  bool isDot() const { return roles.has_value(); }
  const stablehlo::ProductRoles::Operand &rolesOf(KernelTraversal::Kind kind) const {
    return roles->operands[kind == KernelTraversal::Lhs ? 0 : 1];
  }
};

KernelAccess accessOf(mlir::Operation *kernel);

// Convert between an input's order and the traversal order that matches it. Both return nothing if
// the access is no permutation.
std::optional<DimensionOrder> traversalOrder(const KernelAccess &access, const InputAccess &input,
                                             std::span<const int64_t> inputOrder,
                                             std::span<const int64_t> inputShape);
std::optional<DimensionOrder> inputOrder(const KernelAccess &access, const InputAccess &input,
                                         std::span<const int64_t> traversalOrder,
                                         std::span<const int64_t> inputShape);

// Returns the strided view of a dot operand over the input from which data movement creates the
// operand. `inputOrder` is the input's order. Returns nothing if the operand is computed or strides
// can't describe the data movement.
std::optional<StridedView> operandView(const KernelAccess &access, const InputAccess &input,
                                       std::span<const int64_t> inputOrder,
                                       std::span<const int64_t> inputShape);
// Returns the order of the input that gives the dot operand the order `operandOrder`. Input
// dimensions that a reshape merges stay adjacent. Returns nothing if there is no such order.
std::optional<DimensionOrder> matrixOrder(const KernelAccess &access, const InputAccess &input,
                                          std::span<const int64_t> operandOrder,
                                          std::span<const int64_t> inputShape);

// Returns the dimensions of size one, with which any order may begin.
DimensionOrder singlesFirst(std::span<const int64_t> shape);

// Returns the dimension along which elements are contiguous; -1 for at most one element.
int64_t fastestDimension(std::span<const int64_t> shape, std::span<const int64_t> order);

} // namespace drumlin
