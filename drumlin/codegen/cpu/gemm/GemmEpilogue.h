// What a GEMM kernel does with its sums: the hero's result goes through the operations that follow
// it and is stored, or combined over the whole result (an amax).
#pragma once

#include "drumlin/codegen/cpu/gemm/GemmTerms.h"
#include "drumlin/ir/plan/Epilogue.h"
#include "drumlin/ir/plan/Reducers.h"

namespace drumlin::codegen {

class GemmEpilogue {
public:
  // Binds the hero's result. The kernel has no EpilogueProblem.
  GemmEpilogue(KernelFrame &frame, GemmTerms &problem);

  bool hasReductions() const { return !reductions.empty(); }
  // Each tile of the result leaves this many bytes in the partial results.
  int64_t partialBytesPerTile() const { return static_cast<int64_t>(reductions.size()) * 8; }

  // Before, for each register of sums of, and after one tile of the result.
  void beginTile();
  void store(llvm::Value *sums, const IndexTuple *index);
  void endTile(llvm::Value *partials, llvm::Value *tile);
  // Where the sums go, if nothing else is made of them than the hero's result.
  std::optional<GemmTerms::ResultMatrix> resultMatrix() const;

  // Roots that the hero doesn't feed.
  void storeIndependentRoots();

  // Combines the partial results of all tiles in order and stores what is made of them, in this
  // frame or another one of the same kernel.
  void finish(KernelFrame &into, llvm::Value *partials, const SizeExpression &tiles);

private:
  struct Reduction {
    mlir::Operation *op;
    Reducer reducer;
    ElementType type;
    llvm::Value *sums = nullptr; // one register in the stack frame
    llvm::Value *left = nullptr; // another one: what sums of floats leave off (SumOfBlocks)
    llvm::SmallVector<unsigned> roots;
  };
  void addReduced(unsigned number, mlir::Operation *op);
  static bool isSumOfFloats(const Reduction &reduction) {
    return reduction.reducer == Reducer::Add && isFloat(reduction.type);
  }
  void classifyRoot(unsigned number, mlir::Value root);
  // The index of `value` where the hero's result is at `index`.
  const IndexTuple *forward(mlir::Value value, const IndexTuple *index);

  KernelFrame &frame;
  GemmTerms &problem;
  Lanes current;
  Epilogue made; // which values are made of the hero's result
  llvm::SmallVector<std::pair<unsigned, mlir::Value>> stored, independent;
  std::vector<Reduction> reductions;
};

} // namespace drumlin::codegen
