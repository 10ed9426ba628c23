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
  llvm::SmallVector<mlir::Operation *> rowReductions; // reductions computed once before each row
  llvm::SmallVector<std::pair<mlir::Operation *, llvm::Value *>>
      kept;                                        // kept operations, with memory for one row each
  llvm::SmallVector<mlir::Operation *> transposes; // transposes that are done in registers
  mlir::Operation *scan = nullptr;
  LanesAgain again = LanesAgain::no; // equal in all groups of a kernel
  // Whether the last vector of a row is stored in full, including lanes past the row's end. Later
  // stores overwrite the elements past the row's end.
  bool storesBehind = false;

  TraversedGroup(LoopGroup group, const LoopTraversal &traversal);
};

// Converts `step`, a row-major position in a shape with the sizes `sizes`, to the index in this
// shape.
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
