// The operations that may follow a hero in its kernel.
//
// A GEMM computes its epilogue for one element of the hero's result at a time. Every value of the
// epilogue has one element for each element of the hero's result, possibly in a different order. An
// operation may combine only values whose elements are in the same order: `d - transpose(d)` would
// need two elements of the hero's result at once. A reduction over all elements accepts any order.
// The epilogue of a Fourier transform follows the same rules, but has no reductions. Its values are
// the real and imaginary parts of the result, possibly reordered. Kernels with other heroes have no
// epilogue. They yield the hero's results directly (the contract `heroes-in-kernels`).
#pragma once

#include "drumlin/ir/indexing/IndexingMap.h"
#include "drumlin/ir/plan/PlanEnums.h"
#include "llvm/ADT/DenseMap.h"

#include <optional>
#include <string>

namespace drumlin {

// Whether the operation's result is a reordering of its operand: a reshape, a transpose, or a
// broadcast that repeats nothing.
bool isReordering(mlir::Operation *op);

namespace plan {
// Whether kernels of the kind may contain operations on their hero's result.
bool hasEpilogue(KernelKind kind);
} // namespace plan

enum class EpilogueFault {
  NotElementwise, // not computed from one element of the hero's result
  TwoOrders,      // the operands have the elements of the hero's result in different orders
  Reduced,        // combines a reduction of all elements with other values
};

class Epilogue {
public:
  explicit Epilogue(mlir::Operation *hero);

  // Adds an operation. The producers of all operands that are computed from the hero's result must
  // have been added before. If the operation has a fault, returns the fault and adds nothing. Also
  // adds nothing if no operand is computed from the hero's result.
  std::optional<EpilogueFault> add(mlir::Operation *op);
  // Returns the fault that adding the operation would have, without adding it.
  std::optional<EpilogueFault> faultOf(mlir::Operation *op) const;

  // Whether the value is computed from the hero's result.
  bool contains(mlir::Value value) const { return values.contains(value); }
  // Returns the full reduction from which the value is computed; null if each of its elements is
  // computed from one element of the hero's result.
  mlir::Operation *reductionOf(mlir::Value value) const;
  // Whether two values have their elements in the same order, that is, elements at the same
  // position are computed from the same element of the hero's result. Neither value may be computed
  // from a reduction. May return false for equal orders if one transpose splits the dimensions of
  // an earlier transpose, for example after a reshape from [4, 3] to [6, 2]. In this case, the
  // simplified positions differ.
  bool inOneOrder(mlir::Value a, mlir::Value b) const;
  // Returns the map from the index of an element of the hero's result to the index of the value's
  // element that is computed from it. For values computed from a reduction, the map leads to the
  // index in the reduction's operand.
  const IndexingMap &mapTo(mlir::Value value) const { return values.find(value)->second.map; }

private:
  struct Made {
    IndexingMap map;
    mlir::Operation *reduction = nullptr; // full reduction from which the value is computed
  };
  std::optional<EpilogueFault> follow(mlir::Operation *op, std::optional<Made> &made) const;

  llvm::DenseMap<mlir::Value, Made> values;
};

// A fault of the epilogue in a kernel's region, and the operation that has it.
// findEpilogueProblem() returns nothing for a valid epilogue.
struct EpilogueProblem {
  mlir::Operation *op;
  std::string what;
};
std::optional<EpilogueProblem> findEpilogueProblem(plan::KernelKind kind, mlir::Block &region);

} // namespace drumlin
