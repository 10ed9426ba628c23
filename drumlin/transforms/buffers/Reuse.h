// Determines which values share memory because one takes over the memory of another.
#pragma once

#include "drumlin/ir/plan/BufferAssignment.h"
#include "drumlin/ir/plan/KernelOp.h"
#include "drumlin/ir/plan/LaunchOp.h"
#include "drumlin/ir/stablehlo/WhileOp.h"
#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/IR/SymbolTable.h"
#include "llvm/ADT/DenseMap.h"
#include "llvm/ADT/DenseSet.h"

#include <map>

namespace drumlin {

// Returns the arguments whose memory is reused for results, by result number.
llvm::DenseMap<int64_t, mlir::BlockArgument> donorsOf(mlir::func::FuncOp function);

// Finds results that take over the memory of a value that is no longer needed: an input that the
// result's kernel may overwrite, or the carried value that the result becomes in a loop's next
// iteration. A loop's initial value is computed directly into the carried value's memory. If a
// kernel may overwrite an input with a program result, that input is computed directly into the
// result's memory.
class Reuse {
public:
  explicit Reuse(mlir::func::FuncOp function);

  // Returns the value whose memory this value uses.
  mlir::Value memoryOf(mlir::Value value) const;

  // Returns larger values that a kernel's result may overwrite from their beginning, if this launch
  // is their last use: the kernel then overwrites only elements that it has already read.
  mlir::ArrayRef<mlir::Value> overwritable(mlir::Value result) const;

private:
  void number(mlir::Block &block);
  bool isTakable(mlir::Value memory, mlir::Block &block) const;
  bool isFreeBefore(mlir::Value result, mlir::Value memory) const;
  bool isYieldedElsewhere(mlir::Value result, mlir::Value memory);
  mlir::ArrayRef<unsigned> placesAtEnd(mlir::Block &block, mlir::Value storage);
  void take(mlir::Value result, mlir::Value memory);
  void reuse(mlir::Block &block);
  void reuseInputs(plan::LaunchOp launch, mlir::Block &block);
  bool mayWriteOver(plan::KernelOp kernel, unsigned input, unsigned output);
  void reuseCarried(stablehlo::WhileOp loop);
  void reuseInitial(stablehlo::WhileOp loop);
  void reuseReturned(mlir::Operation &branching);
  bool isMovable(mlir::Value value, mlir::Block &block);

  mlir::SymbolTable symbols;
  llvm::DenseSet<mlir::Value> results; // results of the program, in buffers of the caller
  llvm::DenseMap<mlir::Value, mlir::BlockArgument> donors; // arguments whose memory holds a result
  llvm::DenseMap<mlir::Value, mlir::Value> reused;
  llvm::DenseMap<mlir::Value, mlir::SmallVector<mlir::Value, 1>> larger;
  // Cache of mayComputeInPlace(): large programs launch each kernel many times.
  std::map<std::tuple<mlir::Operation *, unsigned, unsigned>, bool> inPlace;
  llvm::DenseMap<mlir::Value, int64_t> lastUse;
  llvm::DenseMap<mlir::Operation *, int64_t> position;
  llvm::DenseMap<mlir::Block *, llvm::DenseMap<mlir::Value, mlir::SmallVector<unsigned, 1>>>
      endings;
  int64_t next = 0;
};

} // namespace drumlin
