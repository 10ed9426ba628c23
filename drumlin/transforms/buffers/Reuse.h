// Which values share memory because one takes over another one's.
#pragma once

#include "drumlin/ir/plan/BufferAssignment.h"
#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/IR/SymbolTable.h"
#include "llvm/ADT/DenseMap.h"
#include "llvm/ADT/DenseSet.h"

#include <map>

namespace drumlin {

// The arguments whose memory results take over, by the number of the result.
llvm::DenseMap<int64_t, mlir::BlockArgument> donorsOf(mlir::func::FuncOp function);

// Results that take over the memory of something that nobody needs any more: of an input that their
// kernel may write over, or of the carried value that they become in a loop's next step. What a
// loop begins with is computed into the memory of the carried value, and what a kernel that
// computes a result of the program may write over, into that result's.
class Reuse {
public:
  explicit Reuse(mlir::func::FuncOp function);

  // The value whose memory this one has.
  mlir::Value memoryOf(mlir::Value value) const;

  // Larger values at whose beginning a kernel's result may be computed, if they end with that
  // launch: the result is then written over what the kernel has read.
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
  llvm::DenseSet<mlir::Value> results; // what the program returns: in buffers of the caller's
  llvm::DenseMap<mlir::Value, mlir::BlockArgument> donors; // of results that lie in arguments
  llvm::DenseMap<mlir::Value, mlir::Value> reused;
  llvm::DenseMap<mlir::Value, mlir::SmallVector<mlir::Value, 1>> larger;
  // mayComputeInPlace(): large programs have many launches of each kernel.
  std::map<std::tuple<mlir::Operation *, unsigned, unsigned>, bool> inPlace;
  llvm::DenseMap<mlir::Value, int64_t> lastUse;
  llvm::DenseMap<mlir::Operation *, int64_t> position;
  llvm::DenseMap<mlir::Block *, llvm::DenseMap<mlir::Value, mlir::SmallVector<unsigned, 1>>>
      endings;
  int64_t next = 0;
};

} // namespace drumlin
