// What may follow a hero in its kernel.
//
// A GEMM computes its epilogue from one element of the hero's result at a time, and stores each
// value where that element belongs in it. So every value of the epilogue lists the elements of the
// hero's result in some order, and an operation may combine only values that list them in the same
// one: `d - transpose(d)` needs two elements at once. A reduction over all elements doesn't ask for
// an order. Kernels around other heroes have no epilogue: they yield what the hero gives
// (the contract `heroes-in-kernels`).
#pragma once

#include "drumlin/ir/plan/PlanDialect.h"
#include "llvm/ADT/DenseMap.h"

#include <optional>
#include <string>
#include <vector>

namespace drumlin {

// A bijection between row-major positions: where each element of a value comes from in the value
// that the order was begun with. Orders that compare equal are equal; orders that are equal compare
// so unless a transpose cuts through the dimensions of one before it (as it may after a reshape
// from [4, 3] to [6, 2]).
class ElementOrder {
public:
  // The value itself.
  explicit ElementOrder(llvm::ArrayRef<int64_t> shape);

  // The order of transpose(x), where x has this order and shape. A reshape changes nothing.
  ElementOrder transposed(llvm::ArrayRef<int64_t> shape, llvm::ArrayRef<int64_t> permutation) const;

  bool operator==(const ElementOrder &) const = default;

private:
  // One digit of a position: `size` values, `stride` positions apart.
  struct Axis {
    int64_t size = 1, stride = 1;
    bool operator==(const Axis &) const = default;
  };
  // A transpose of a shape that doesn't consist of axes; the axes after it count its positions.
  struct Cut {
    std::vector<Axis> axes;
    std::vector<int64_t> shape, permutation;
    bool operator==(const Cut &) const = default;
  };

  void append(std::vector<Axis> &made, Axis axis) const;

  std::vector<Cut> cuts;
  std::vector<Axis> axes; // outermost first, as few as there can be, none of size one
};

// Whether the operation's result is a reordering of its operand: a reshape, a transpose, or a
// broadcast that repeats nothing.
bool isReordering(mlir::Operation *op);

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
  // Whether two values, made of single elements, list them in one order.
  bool inOneOrder(mlir::Value a, mlir::Value b) const;
  // The first operand of an added operation that is made of the hero's result.
  mlir::Value operandOf(mlir::Operation *op) const;

private:
  struct Made {
    ElementOrder order;
    mlir::Operation *reduction =
        nullptr; // then it has a single element, and the order says nothing
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
