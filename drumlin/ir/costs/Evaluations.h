// Counts how often a kernel evaluates each of its operations; fusion decisions and cost reports use
// these counts.
//
// The counts model code generation. A value is computed once for each index at which it is read, so
// that users that read it at the same index share one evaluation. A data movement operation reads
// its operand at a new index. Three kinds of values are evaluated less often. A value that is the
// same for a full row of the traversal is evaluated once per row. A value whose rows are kept in
// memory (keptInRows()) is evaluated once per element. A value of a single element is evaluated
// once per kernel. A prefix scan that the traversal follows (scanToFollow()) reads one element for
// each result. Every other prefix scan reads its full window.
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
  // `ops` lists the operations that the kernel computes, operands first; all other values are read
  // from memory.
  explicit Evaluations(llvm::ArrayRef<mlir::Operation *> ops);

  // Adds the demands of a loop that traverses `shape`: at each index, it evaluates one element of
  // each root.
  void walk(llvm::ArrayRef<mlir::Value> roots, llvm::ArrayRef<int64_t> shape);
  // Adds a demand for `times` elements of a value, at indices that no other demand shares.
  void ask(mlir::Value value, double times);
  // Adds a demand for `times` elements of each value. All values are demanded at the same indices.
  void askTogether(llvm::ArrayRef<mlir::Value> values, double times);
  // Marks a value as available in memory: its users read it, and it is not evaluated.
  void give(mlir::Value value) { given.insert(value); }

  // Propagates all demands from users to operands, down to memory. Takes linear time in the number
  // of operations.
  void run();

  double of(mlir::Operation *op) const { return counts.lookup(op); }
  // Returns the number of distinct indices at which the operation is evaluated; each index has its
  // own code, possibly in its own loop.
  size_t placesOf(mlir::Operation *op) const { return places.lookup(op); }
  // Returns the number of elements of a value that the kernel reads from memory. The value is
  // computed outside the kernel or was marked by give().
  double readsOf(mlir::Value value) const;
  // Whether the operation is evaluated once per row of the traversal.
  bool isOfRow(mlir::Operation *op) const { return shared.contains(op); }
  // Returns the prefix scan that the traversal follows, or null.
  mlir::Operation *followedScan() const { return scan; }
  // Whether a reduction of contiguous elements has different values within a row of the traversal.
  // In this case, a traversal by rows could not use vector lanes.
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
  // Demands by the operation whose result is demanded. A row reduction is evaluated once per row.
  // Its demands are in `askedByRowReductions` if the operand has several elements per row; they
  // count in full. All other operands of a row reduction are the same for the full row; demands for
  // them are in `asked`.
  llvm::DenseMap<mlir::Operation *, Demands> asked, askedByRowReductions;
  bool isInRowReduction = false; // whether follow() is inside a row reduction
  double rows = 0;               // number of rows of the traversal
  llvm::DenseMap<mlir::Value, Demands> read;
  llvm::DenseMap<mlir::Operation *, double> counts;
  llvm::DenseMap<mlir::Operation *, size_t> places;
  llvm::DenseMap<std::pair<mlir::OpOperand *, Index>, Index> indices;
  Index nextIndex = 1;

  // The roots and the shape of the traversal; empty if there is none.
  llvm::SmallVector<mlir::Value> roots;
  llvm::SmallVector<int64_t> shape;
  Index ofRoots = 0;
  llvm::DenseSet<mlir::Operation *> shared;
  mlir::Operation *scan = nullptr;
  bool breaksRows = false;
};

} // namespace drumlin
