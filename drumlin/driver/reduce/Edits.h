// Changes of programs that several families of reductions make.
#pragma once

#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/IR/Builders.h"
#include "mlir/IR/BuiltinOps.h"

namespace drumlin::reduce {

// Operations of functions and of the regions of `while`, `if` and `case`, each before those inside
// it; no terminators. A copy of a module has the same ones in the same order.
llvm::SmallVector<mlir::Operation *> operationsOf(mlir::ModuleOp module);
// The operations of one kind among them.
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

// The function's type as its block says.
void updateType(mlir::func::FuncOp function);
// A new argument of the entry, behind all others.
mlir::Value addArgument(mlir::func::FuncOp entry, mlir::Type type);
void eraseResults(mlir::func::FuncOp function, size_t begin, size_t end);

// A constant whose elements are all this number; null for types that have none.
mlir::Value makeConstant(mlir::OpBuilder &builder, mlir::Type type, double number);

// Moves a block's operations before `op`, whose results its terminator's operands replace. The
// block's arguments become `values`.
void inlineBlock(mlir::Block &block, mlir::Operation *op, mlir::ValueRange values);

// A copy of an operation without some of its operands and results, which have no use any more; its
// regions move to the copy.
mlir::Operation *rebuildWithout(mlir::Operation *op, const llvm::BitVector &operands,
                                const llvm::BitVector &results);

// Erases operations without effect and use, and functions that nothing names.
void eraseDead(mlir::ModuleOp module);

} // namespace drumlin::reduce
