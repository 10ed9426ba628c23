// Program edits that several families of reductions share.
#pragma once

#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/IR/Builders.h"
#include "mlir/IR/BuiltinOps.h"

namespace drumlin::reduce {

// Returns the operations of functions and of `while`, `if` and `case` regions, without terminators.
// An operation comes before the operations in its regions. For a copy of the module, the function
// returns the corresponding operations in the same order.
llvm::SmallVector<mlir::Operation *> operationsOf(mlir::ModuleOp module);
// Returns only the operations of one kind.
template <typename Op> llvm::SmallVector<Op> operationsOf(mlir::ModuleOp module) {
  llvm::SmallVector<Op> found;
  for (mlir::Operation *op : operationsOf(module)) {
    if (auto one = llvm::dyn_cast<Op>(op)) {
      found.push_back(one);
    }
  }
  return found;
}
bool isControl(mlir::Operation *op);

// Sets the function's type from its entry block.
void updateType(mlir::func::FuncOp function);
// Adds an argument to the entry, after all others.
mlir::Value addArgument(mlir::func::FuncOp entry, mlir::Type type);
void eraseResults(mlir::func::FuncOp function, size_t begin, size_t end);

// Returns a constant whose elements all equal `number`; null if the type has no constants.
mlir::Value makeConstant(mlir::OpBuilder &builder, mlir::Type type, double number);

// Moves a block's operations to the place of `op`, which is replaced by the operands of the block's
// terminator. `values` replace the block's arguments.
void inlineBlock(mlir::Block &block, mlir::Operation *op, mlir::ValueRange values);

// Copies an operation without some of its operands and results, and moves the operation's regions
// to the copy. The dropped results must be unused.
mlir::Operation *rebuildWithout(mlir::Operation *op, const llvm::BitVector &operands,
                                const llvm::BitVector &results);

// Erases unused operations without effects, and functions that nothing refers to.
void eraseDead(mlir::ModuleOp module);

} // namespace drumlin::reduce
