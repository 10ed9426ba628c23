// A group of a loop kernel's results as it is emitted, shared by the files that emit traversals.
#pragma once

#include "drumlin/codegen/cpu/ControlFlow.h"
#include "drumlin/codegen/cpu/KernelEmitter.h"
#include "drumlin/ir/plan/loop/LoopSchedule.h"
#include "drumlin/ir/sizes/SizeSymbols.h"

namespace drumlin::codegen {

// The results of one shape, with how they are traversed and what follows from it.
struct TraversedGroup : LoopGroup {
  LoopTraversal traversal;
  std::vector<SizeExpression> sizes; // of the shape
  Size steps, tiles;
  llvm::SmallVector<mlir::Operation *> rowReductions; // computed once before each row
  llvm::SmallVector<std::pair<mlir::Operation *, llvm::Value *>>
      kept;                                        // with memory for a row of each
  llvm::SmallVector<mlir::Operation *> transposes; // in registers
  mlir::Operation *scan = nullptr;
  LanesAgain again = LanesAgain::no; // for all groups of a kernel alike
  // Lanes behind what is computed are stored, too: what comes next is stored over them.
  bool storesBehind = false;

  TraversedGroup(LoopGroup group, const LoopTraversal &traversal);
};

// The index of a step, of which there are as many as a shape of these sizes has elements.
llvm::SmallVector<LaneIndex> stepIndex(KernelFrame &frame, llvm::ArrayRef<SizeExpression> sizes,
                                       llvm::Value *step);

// Computes the group's results at an index, and stores them.
void storeRoots(KernelFrame &frame, const TraversedGroup &group, const IndexTuple *at);

// Computes the results of a step of a blocked traversal.
void emitBlock(KernelFrame &frame, const TraversedGroup &group, llvm::Value *step);

// Follows the group's prefix scan along the line, or the row of lines side by side, of a step.
void emitScanLine(KernelFrame &frame, const TraversedGroup &group, llvm::Value *step);

} // namespace drumlin::codegen
