// Puts dimensions of a program's values into one class if the operations require that their sizes
// are equal. Rewrites the program for other sizes of the classes.
#pragma once

#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/IR/BuiltinOps.h"
#include "llvm/ADT/DenseMap.h"
#include "llvm/ADT/DenseSet.h"

#include <optional>

namespace drumlin::reduce {

class DimensionClasses {
public:
  // Groups the dimensions of `module`, which must be verified. Equal programs get equal class
  // numbers.
  explicit DimensionClasses(mlir::ModuleOp module);

  // Returns the numbers of all classes, in ascending order.
  llvm::SmallVector<unsigned> classes() const;
  int64_t size(unsigned of) const { return sizes[root(of)]; }
  // Gives a class a new size. `isFixed`: apply() keeps this size; other sizes and attributes adapt
  // to it.
  void resize(unsigned of, int64_t size, bool isFixed);

  // Says whether the caller has changed sizes of classes or attributes. apply() derives the other
  // sizes and attributes from the changed ones.
  enum class Lead { Sizes, Attributes };
  // Makes sizes and the attributes that depend on them consistent, and updates the program. Returns
  // false if they can't be made consistent. Even an updated program may be invalid, so it must be
  // verified.
  bool apply(Lead lead);

private:
  unsigned root(unsigned node) const;
  unsigned node(mlir::Value value, int64_t dimension) const;
  int64_t sizeOf(mlir::Value value, int64_t dimension) const {
    return size(node(value, dimension));
  }
  llvm::SmallVector<int64_t> shapeNow(mlir::Value value) const;

  // Puts two dimensions into one class if their sizes are equal, so that the sizes stay equal.
  void link(mlir::Value a, int64_t ofA, mlir::Value b, int64_t ofB);
  void linkAll(mlir::Value a, mlir::Value b);
  template <typename Values> void linkEach(Values &&values);
  void linkOperation(mlir::Operation *op);
  void linkShapes(mlir::Operation *op);
  void linkReshape(mlir::Operation *op);
  void linkContraction(mlir::Operation *op);
  void linkIndexed(mlir::Operation *op);
  void linkControl(mlir::Operation *op);

  // Sets the size of the dimension's class. Returns false if the class is fixed and has another
  // size.
  bool assign(mlir::Value value, int64_t dimension, int64_t size);
  bool settle(mlir::Operation *op, Lead lead);
  bool settleSlice(mlir::Operation *op, Lead lead);
  bool settlePad(mlir::Operation *op, Lead lead);
  bool settleReshape(mlir::Operation *op);
  bool settleWindow(mlir::Operation *op);
  bool settleIndexed(mlir::Operation *op, Lead lead);
  bool settleConcatenate(mlir::Operation *op);
  void write();

  // Groups of a reshape's operand and result dimensions that hold the same elements; dimensions of
  // size 1 are in no group.
  struct ReshapeGroup {
    llvm::SmallVector<int64_t> operand, result;
  };
  llvm::DenseMap<mlir::Operation *, llvm::SmallVector<ReshapeGroup>> reshapes;

  mlir::ModuleOp module;
  llvm::DenseMap<mlir::Value, unsigned> nodes; // the node of dimension 0 of each value
  mutable llvm::SmallVector<unsigned> parents;
  llvm::SmallVector<int64_t> sizes; // size of each class, indexed by the root of the class
  llvm::DenseSet<unsigned> fixed;
  bool hasChanged = false;
};

} // namespace drumlin::reduce
