// One group of a loop kernel's results during emission. The files that emit traversals share this
// header.
#pragma once

#include "drumlin/codegen/cpu/ControlFlow.h"
#include "drumlin/codegen/cpu/KernelEmitter.h"
#include "drumlin/ir/plan/loop/LoopSchedule.h"
#include "drumlin/ir/sizes/SizeSymbols.h"

namespace drumlin::codegen {

// The results of one shape, their traversal, and properties derived from the traversal.
struct TraversedGroup : LoopGroup {
  LoopTraversal traversal;
  std::vector<SizeExpression> sizes; // symbolic sizes of the shape
  Size steps, tiles;
  llvm::SmallVector<mlir::Operation *> rowReductions; // computed once before each row
  llvm::SmallVector<std::pair<mlir::Operation *, llvm::Value *>>
      kept;                                        // each with memory for one row
  llvm::SmallVector<mlir::Operation *> transposes; // transposes that are done in registers
  mlir::Operation *scan = nullptr;
  LanesAgain again = LanesAgain::no; // the same for all groups of a kernel
  // Whether the last vector of a row is stored in full, including lanes past the row's end. Later
  // stores overwrite the elements past the row's end.
  bool storesBehind = false;

  TraversedGroup(LoopGroup group, const LoopTraversal &traversal);
};

// Returns the index that corresponds to a step. Steps are the row-major positions of a shape of
// these sizes.
llvm::SmallVector<LaneIndex> stepIndex(KernelFrame &frame, llvm::ArrayRef<SizeExpression> sizes,
                                       llvm::Value *step);

// Computes the group's results at an index, and stores them.
void storeRoots(KernelFrame &frame, const TraversedGroup &group, const IndexTuple *at);

// Emits the results of one step of a blocked traversal.
void emitBlock(KernelFrame &frame, const TraversedGroup &group, llvm::Value *step);

// Emits one step of the group's prefix scan: along one line, or along a row of adjacent lines at
// once.
void emitScanLine(KernelFrame &frame, const TraversedGroup &group, llvm::Value *step);

} // namespace drumlin::codegen
