// Which dimensions of a program's values have one size because its operations say so, and how the
// program looks with other sizes.
#pragma once

#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/IR/BuiltinOps.h"
#include "llvm/ADT/DenseMap.h"
#include "llvm/ADT/DenseSet.h"

#include <optional>

namespace drumlin::reduce {

class DimensionClasses {
public:
  // Of a verified program. Classes of equal programs have equal numbers.
  explicit DimensionClasses(mlir::ModuleOp module);

  // One number for each class, ascending.
  llvm::SmallVector<unsigned> classes() const;
  int64_t size(unsigned of) const { return sizes[root(of)]; }
  // `isFixed`: other sizes and attributes follow this one.
  void resize(unsigned of, int64_t size, bool isFixed);

  // What other sizes follow from: the resized classes, or attributes that have changed since.
  enum class Lead { Sizes, Attributes };
  // Brings sizes and attributes that depend on them together, and writes them into the program.
  // False where that fails. The program may still be invalid: that is the verifier's to say.
  bool apply(Lead lead);

private:
  unsigned root(unsigned node) const;
  unsigned node(mlir::Value value, int64_t dimension) const;
  int64_t sizeOf(mlir::Value value, int64_t dimension) const {
    return size(node(value, dimension));
  }
  llvm::SmallVector<int64_t> shapeNow(mlir::Value value) const;

  // Sizes that are equal now stay so.
  void link(mlir::Value a, int64_t ofA, mlir::Value b, int64_t ofB);
  void linkAll(mlir::Value a, mlir::Value b);
  template <typename Values> void linkEach(Values &&values);
  void linkOperation(mlir::Operation *op);
  void linkShapes(mlir::Operation *op);
  void linkReshape(mlir::Operation *op);
  void linkContraction(mlir::Operation *op);
  void linkIndexed(mlir::Operation *op);
  void linkControl(mlir::Operation *op);

  // False where the class is fixed and has another size.
  bool assign(mlir::Value value, int64_t dimension, int64_t size);
  bool settle(mlir::Operation *op, Lead lead);
  bool settleSlice(mlir::Operation *op, Lead lead);
  bool settlePad(mlir::Operation *op, Lead lead);
  bool settleReshape(mlir::Operation *op);
  bool settleWindow(mlir::Operation *op);
  bool settleIndexed(mlir::Operation *op, Lead lead);
  bool settleConcatenate(mlir::Operation *op);
  void write();

  // Dimensions of a reshape's operand beside those of the result that hold the same elements;
  // dimensions of size 1 are in no group.
  struct ReshapeGroup {
    llvm::SmallVector<int64_t> operand, result;
  };
  llvm::DenseMap<mlir::Operation *, llvm::SmallVector<ReshapeGroup>> reshapes;

  mlir::ModuleOp module;
  llvm::DenseMap<mlir::Value, unsigned> nodes; // of dimension 0
  mutable llvm::SmallVector<unsigned> parents;
  llvm::SmallVector<int64_t> sizes; // by root
  llvm::DenseSet<unsigned> fixed;
  bool hasChanged = false;
};

} // namespace drumlin::reduce
