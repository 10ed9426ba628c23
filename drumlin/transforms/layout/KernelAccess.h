// How a kernel runs over its inputs: which dimension of each input follows which dimension of what
// the kernel traverses. That decides in which orders its inputs and outputs may lie, and what
// another order costs.
#pragma once

#include "drumlin/ir/indexing/StridedView.h"
#include "drumlin/ir/plan/PlanDialect.h"
#include "drumlin/ir/stablehlo/ProductRoles.h"
#include "drumlin/support/Layout.h"

namespace drumlin {

// What a kernel traverses: the value of an output; or, of a dot, an operand.
struct KernelTraversal {
  enum Kind { Output, Lhs, Rhs } kind = Output;
  unsigned output = 0; // its number
  Shape shape;
  // Of a GEMM's output: the dimension of it that each dimension of the dot's result follows, as
  // InputAccess has it. Empty where the output is made otherwise.
  std::vector<int64_t> heroDimensions;
};

// One way in which a kernel reads an input.
struct InputAccess {
  unsigned input = 0;
  size_t traversal = 0; // of KernelAccess::traversals
  // The traversal's dimension for each of the input's; none where the kernel keeps to one place of
  // it; all where it runs along it wherever the traversal is, as a reduction does.
  std::vector<int64_t> follows;
  static constexpr int64_t none = -1, all = -2;
  bool isPartial = false; // of the input, only what is sliced or gathered is read
  // Both have the same elements, and each dimension follows another one: an order of one is an
  // order of the other.
  bool isPermutation = false;
};

// The orders in which a library reads a dot's operand as a matrix, its rows along the contracting
// or along the free dimensions.
DimensionOrder alongDepth(const stablehlo::ProductRoles::Operand &roles);
DimensionOrder alongFree(const stablehlo::ProductRoles::Operand &roles);

struct KernelAccess {
  std::vector<KernelTraversal> traversals;
  std::vector<InputAccess> inputs;
  // What the kernel takes or gives row-major only: operations that find elements by their position,
  // or change a part of their operand in place;
  // and a convolution, whose windows are runs of rows.
  std::vector<bool> rowMajorInputs, rowMajorOutputs;
  mlir::Operation *hero = nullptr;              // a dot or convolution
  std::optional<stablehlo::ProductRoles> roles; // of a dot_general
  bool isDot() const { return roles.has_value(); }
  const stablehlo::ProductRoles::Operand &rolesOf(KernelTraversal::Kind kind) const {
    return roles->operands[kind == KernelTraversal::Lhs ? 0 : 1];
  }
};

KernelAccess accessOf(mlir::Operation *kernel);

// The traversal's order that makes an input's order what the traversal follows, and the reverse;
// nothing where the access is no permutation.
std::optional<DimensionOrder> traversalOrder(const KernelAccess &access, const InputAccess &input,
                                             std::span<const int64_t> inputOrder,
                                             std::span<const int64_t> inputShape);
std::optional<DimensionOrder> inputOrder(const KernelAccess &access, const InputAccess &input,
                                         std::span<const int64_t> traversalOrder,
                                         std::span<const int64_t> inputShape);

// Returns where the elements of a dot's operand lie in the input that it is moved from, which lies
// in this order; nothing if it is computed, or if strides don't describe it.
std::optional<StridedView> operandView(const KernelAccess &access, const InputAccess &input,
                                       std::span<const int64_t> inputOrder,
                                       std::span<const int64_t> inputShape);
// Returns the order of such an input in which the operand's dimensions lie in this order, with
// those that a reshape made one of side by side; nothing if no order of dimensions does that.
std::optional<DimensionOrder> matrixOrder(const KernelAccess &access, const InputAccess &input,
                                          std::span<const int64_t> operandOrder,
                                          std::span<const int64_t> inputShape);

// The dimensions of one element: what an order may begin with whatever comes after them.
DimensionOrder singlesFirst(std::span<const int64_t> shape);

// The dimension along which neighbours lie side by side; -1 where there is at most one element.
int64_t fastestDimension(std::span<const int64_t> shape, std::span<const int64_t> order);

} // namespace drumlin
