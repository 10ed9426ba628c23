// What may follow a hero in its kernel.
//
// A GEMM computes its epilogue from one element of the hero's result at a time, and stores each
// value where that element belongs in it. So every value of the epilogue lists the elements of the
// hero's result in some order, and an operation may combine only values that list them in the same
// one: `d - transpose(d)` needs two elements at once. A reduction over all elements doesn't ask for
// an order. A Fourier transform's epilogue is the same without reductions: its result's real and
// imaginary parts, reordered. Kernels around other heroes have none: they yield what the hero
// gives (the contract `heroes-in-kernels`).
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
// Whether kernels of the kind may hold operations on their hero's result.
bool hasEpilogue(KernelKind kind);
} // namespace plan

enum class EpilogueFault {
  NotElementwise, // it isn't computed from one element of the hero's result
  TwoOrders,      // its operands list these elements in different orders
  Reduced,        // it needs what a reduction makes of all elements beside something else
};

class Epilogue {
public:
  explicit Epilogue(mlir::Operation *hero);

  // Adds an operation whose operands that are made of the hero's result have been added. Changes
  // nothing where it has a fault, or no such operand.
  std::optional<EpilogueFault> add(mlir::Operation *op);
  // The same without adding it.
  std::optional<EpilogueFault> faultOf(mlir::Operation *op) const;

  // Whether the value is made of the hero's result.
  bool contains(mlir::Value value) const { return values.contains(value); }
  // The full reduction that the value is made of; null for values of single elements.
  mlir::Operation *reductionOf(mlir::Value value) const;
  // Whether two values, made of single elements, list them in one order. Simplified positions that
  // are equal functions are equal unless a transpose cuts through the dimensions of one before it
  // (as it may after a reshape from [4, 3] to [6, 2]).
  bool inOneOrder(mlir::Value a, mlir::Value b) const;
  // From the index of an element of the hero's result to that of the value's element that is made
  // of it; of a reduction's value, to that of what is reduced.
  const IndexingMap &mapTo(mlir::Value value) const { return values.find(value)->second.map; }

private:
  struct Made {
    IndexingMap map;
    mlir::Operation *reduction = nullptr; // then it has a single element
  };
  std::optional<EpilogueFault> follow(mlir::Operation *op, std::optional<Made> &made) const;

  llvm::DenseMap<mlir::Value, Made> values;
};

// What is wrong with the epilogue of a kernel's region, and where; nothing for a sound one.
struct EpilogueProblem {
  mlir::Operation *op;
  std::string what;
};
std::optional<EpilogueProblem> findEpilogueProblem(plan::KernelKind kind, mlir::Block &region);

} // namespace drumlin
