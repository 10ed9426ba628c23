// One group of a loop kernel's results during emission, shared by the files that emit traversals.
#pragma once

#include "drumlin/codegen/cpu/ControlFlow.h"
#include "drumlin/codegen/cpu/KernelEmitter.h"
#include "drumlin/ir/plan/loop/LoopSchedule.h"
#include "drumlin/ir/sizes/SizeSymbols.h"

namespace drumlin::codegen {

// The results of one shape, their traversal, and properties derived from it.
struct TraversedGroup : LoopGroup {
  LoopTraversal traversal;
  std::vector<SizeExpression> sizes; // of the shape
  Size steps, tiles;
  llvm::SmallVector<mlir::Operation *> rowReductions; // computed once before each row
  llvm::SmallVector<std::pair<mlir::Operation *, llvm::Value *>>
      kept;                                        // with memory for one row of each
  llvm::SmallVector<mlir::Operation *> transposes; // done in registers
  mlir::Operation *scan = nullptr;
  LanesAgain again = LanesAgain::no; // the same for all groups of a kernel
  // Whether full vectors are stored beyond the computed lanes; later stores overwrite these
  // elements.
  bool storesBehind = false;

  TraversedGroup(LoopGroup group, const LoopTraversal &traversal);
};

// Returns the index of a step; the number of steps is the element count of a shape of these sizes.
llvm::SmallVector<LaneIndex> stepIndex(KernelFrame &frame, llvm::ArrayRef<SizeExpression> sizes,
                                       llvm::Value *step);

// Computes the group's results at an index, and stores them.
void storeRoots(KernelFrame &frame, const TraversedGroup &group, const IndexTuple *at);

// Emits the results of one step of a blocked traversal.
void emitBlock(KernelFrame &frame, const TraversedGroup &group, llvm::Value *step);

// Emits one step of the group's prefix scan: along a line, or along a row of lines side by side.
void emitScanLine(KernelFrame &frame, const TraversedGroup &group, llvm::Value *step);

} // namespace drumlin::codegen
