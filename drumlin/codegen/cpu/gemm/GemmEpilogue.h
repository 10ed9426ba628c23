// The epilogue of a GEMM kernel. It applies the operations that follow the hero to the hero's
// result, and stores the values or reduces them over the whole result (an amax).
#pragma once

#include "drumlin/codegen/cpu/gemm/GemmTerms.h"
#include "drumlin/ir/plan/Epilogue.h"
#include "drumlin/ir/plan/Reducers.h"

namespace drumlin::codegen {

class GemmEpilogue {
public:
  // Binds the hero's result. The kernel must have no EpilogueProblem.
  GemmEpilogue(KernelFrame &frame, GemmTerms &problem);

  bool hasReductions() const { return !reductions.empty(); }
  // Returns the bytes of partial results that each tile of the result writes.
  int64_t partialBytesPerTile() const { return static_cast<int64_t>(reductions.size()) * 8; }

  // Emit the epilogue of one tile of the result: beginTile() before the tile, store() for each
  // register of the tile's sums, and endTile() after the tile.
  void beginTile();
  void store(llvm::Value *sums, const IndexTuple *index);
  void endTile(llvm::Value *partials, llvm::Value *tile);
  // Returns the matrix to which the sums are stored if the kernel stores only the hero's result;
  // else nullopt.
  std::optional<GemmTerms::ResultMatrix> resultMatrix() const;

  // Stores the roots that don't depend on the hero.
  void storeIndependentRoots();

  // Combines the partial results of all tiles in order, and stores the values computed from the
  // combined results. `into` is this frame or another frame of the same kernel.
  void finish(KernelFrame &into, llvm::Value *partials, const SizeExpression &tiles);

private:
  struct Reduction {
    mlir::Operation *op;
    Reducer reducer;
    ElementType type;
    llvm::Value *sums = nullptr; // address of one register of sums, on the stack
    llvm::Value *left = nullptr; // address of the rounding errors of float sums (SumOfBlocks)
    llvm::SmallVector<unsigned> roots;
  };
  void addReduced(unsigned number, mlir::Operation *op);
  static bool isSumOfFloats(const Reduction &reduction) {
    return reduction.reducer == Reducer::Add && isFloat(reduction.type);
  }
  void classifyRoot(unsigned number, mlir::Value root);
  // Returns the index of `value` that corresponds to `index` of the hero's result.
  const IndexTuple *forward(mlir::Value value, const IndexTuple *index);

  KernelFrame &frame;
  GemmTerms &problem;
  Lanes current;
  Epilogue made; // the values computed from the hero's result
  llvm::SmallVector<std::pair<unsigned, mlir::Value>> stored, independent;
  std::vector<Reduction> reductions;
};

} // namespace drumlin::codegen
