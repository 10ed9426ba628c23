// How often a kernel evaluates each of its operations: what fusion weighs and what costs report.
//
// It follows what code generation does. An operation's value is kept for each index at which it was
// computed, so that users which ask at the same index share one evaluation; an operation that moves
// elements asks at an index of its own. What is the same for a whole row of the traversal is
// evaluated once for it, a value of which rows are kept (keptInRows()) once for each element, and a
// single element once for the whole kernel. A prefix scan that the traversal follows
// (scanToFollow()) takes one element for each result; any other takes its whole window.
#pragma once

#include "mlir/IR/Operation.h"
#include "mlir/IR/Value.h"
#include "llvm/ADT/DenseMap.h"
#include "llvm/ADT/DenseSet.h"
#include "llvm/ADT/SmallVector.h"

#include <optional>

namespace drumlin {

class Evaluations {
public:
  // `ops` are what the kernel computes, operands first; everything else is read from memory.
  explicit Evaluations(llvm::ArrayRef<mlir::Operation *> ops);

  // A loop's traversal over a shape: each root once at each index, all of them at the same one.
  void walk(llvm::ArrayRef<mlir::Value> roots, llvm::ArrayRef<int64_t> shape);
  // So many elements of a value, at indices that nothing else asks at.
  void ask(mlir::Value value, double times);
  // So many elements of each, at the same indices.
  void askTogether(llvm::ArrayRef<mlir::Value> values, double times);
  // A value that is there: its users read it, and nothing is computed for them.
  void give(mlir::Value value) { given.insert(value); }

  // Follows all that was asked for down to memory. Linear in the operations.
  void run();

  double of(mlir::Operation *op) const { return counts.lookup(op); }
  // At how many indices that are told apart: each of them is code of its own, in a loop of its own
  // perhaps.
  size_t placesOf(mlir::Operation *op) const { return places.lookup(op); }
  // Elements read of a value that is not computed here, or given.
  double readsOf(mlir::Value value) const;
  // Whether it is evaluated once for a row of the traversal.
  bool isOfRow(mlir::Operation *op) const { return shared.contains(op); }
  // The prefix scan that the traversal follows, if any.
  mlir::Operation *followedScan() const { return scan; }
  // Whether a reduction along rows differs inside a row: then a traversal by rows would lose its
  // lanes.
  bool breaksRowTraversal() const { return breaksRows; }

private:
  using Index = unsigned;
  static constexpr Index scalarIndex = 0;
  using Demands = llvm::SmallVector<std::pair<Index, double>, 2>;

  static void add(Demands &demands, Index index, double times);
  void demand(mlir::Value value, Index index, double times);
  Index through(mlir::OpOperand &operand, Index index);
  void follow(mlir::Operation *op, Index index, double times);

  llvm::SmallVector<mlir::Operation *> ops;
  llvm::DenseSet<mlir::Operation *> inside;
  llvm::DenseSet<mlir::Value> given;
  // What reductions that are evaluated once for a row ask of values with more than an element for
  // each row counts as often as it is asked for: all else is the same for the row, too.
  llvm::DenseMap<mlir::Operation *, Demands> asked, askedByRowReductions;
  bool isInRowReduction = false; // what is followed
  double rows = 0;               // of the traversal
  llvm::DenseMap<mlir::Value, Demands> read;
  llvm::DenseMap<mlir::Operation *, double> counts;
  llvm::DenseMap<mlir::Operation *, size_t> places;
  llvm::DenseMap<std::pair<mlir::OpOperand *, Index>, Index> indices;
  Index nextIndex = 1;

  // Of the traversal, if there is one.
  llvm::SmallVector<mlir::Value> roots;
  llvm::SmallVector<int64_t> shape;
  Index ofRoots = 0;
  llvm::DenseSet<mlir::Operation *> shared;
  mlir::Operation *scan = nullptr;
  bool breaksRows = false;
};

} // namespace drumlin
