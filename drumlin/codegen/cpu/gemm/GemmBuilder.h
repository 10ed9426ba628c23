// Helpers shared by the code of GEMM kernels and their routines.
#pragma once

#include "drumlin/codegen/cpu/element/ElementEmitter.h"
#include "drumlin/codegen/cpu/reduce/ReducerCode.h"

#include <utility>

namespace drumlin::codegen {

class GemmBuilder {
public:
  GemmBuilder(ElementEmitter &emitter, const CpuTarget &target)
      : e(emitter), index(emitter.index()), b(emitter.ir()), cpu(target) {}

protected:
  llvm::Value *constant(int64_t value) { return b.getInt64(static_cast<uint64_t>(value)); }
  llvm::Value *at(llvm::Type *type, llvm::Value *base, llvm::Value *offset) {
    return b.CreateInBoundsGEP(type, base, offset);
  }
  // Emit arithmetic on sizes and positions, which can't overflow.
  llvm::Value *times(llvm::Value *x, llvm::Value *y) { return b.CreateMul(x, y, "", true, true); }
  llvm::Value *times(llvm::Value *x, int64_t y) { return times(x, constant(y)); }
  llvm::Value *plus(llvm::Value *x, llvm::Value *y) { return b.CreateAdd(x, y, "", true, true); }
  llvm::Value *plus(llvm::Value *x, int64_t y) { return plus(x, constant(y)); }
  llvm::FixedVectorType *vectorOf(llvm::Type *type, int64_t count = lanes) {
    return llvm::FixedVectorType::get(type, static_cast<unsigned>(count));
  }
  int64_t bytesOf(llvm::Type *type) {
    return static_cast<int64_t>(type->getPrimitiveSizeInBits() / 8);
  }

  // Emits body(base, mask) for [0, end) in steps of one vector, or of `step`. Unless `whole`, the
  // last step may be partial: only its lanes below `end` are active, and `mask` has the active
  // lanes.
  void forLanes(llvm::Value *end, bool whole,
                llvm::function_ref<void(llvm::Value *, llvm::Value *)> body, int64_t step = 0);
  // Sets inactive lanes to zero.
  llvm::Value *zeroInactive(llvm::Value *value, llvm::Value *mask);

  // Loads lanes of a matrix in memory. The matrix is contiguous along k or along the free
  // dimension, and `stride` is the stride of the other one of these two dimensions, in elements.
  Lanes loadMatrix(ElementType type, llvm::Value *from, llvm::Value *stride, bool alongK,
                   const LaneIndex &free, const LaneIndex &depth);

  // Prefetches the memory from which an operand's element will be loaded some steps later, because
  // the hardware prefetcher predicts only long runs. `emitTerm` emits the element as usual; of its
  // code, only the computation of load addresses is kept.
  void prefetch(llvm::function_ref<void()> emitTerm);
  void prefetch(llvm::Value *address);

  // Returns x · y + sum, rounded once if the target has FMA.
  llvm::Value *multiplyAdd(llvm::Value *x, llvm::Value *y, llvm::Value *sum);

  // Takes two vectors of four elements. Returns a vector of their first halves and a vector of
  // their second halves. This converts two rows of four elements to two 2 × 2 blocks, and two
  // blocks to rows.
  std::pair<llvm::Value *, llvm::Value *> pairHalves(llvm::Value *upper, llvm::Value *lower) {
    return {b.CreateShuffleVector(upper, lower, {0, 1, 4, 5}),
            b.CreateShuffleVector(upper, lower, {2, 3, 6, 7})};
  }

  // Compensated block sums in memory. The current block's lanes are at `place`. The two values of
  // SumOfBlocks, the sum and its rounding errors, are `size` and 2 `size` elements later.
  // clearParts() sets these two values to zero, addBlock() adds the current block to them, and
  // joinParts() stores the total at `place`.
  struct PlaceOfBlocks {
    llvm::FixedVectorType *vector;
    llvm::Value *place, *size;
    llvm::Value *part(llvm::IRBuilder<> &builder, uint64_t number) const;
  };
  void clearParts(const PlaceOfBlocks &sums);
  void addBlock(const PlaceOfBlocks &sums);
  void joinParts(const PlaceOfBlocks &sums);

  // Packed columns: panels one register wide, panel[k-group][columns of a register].
  struct PackedPanels {
    llvm::Value *memory = nullptr;
    llvm::Type *type = nullptr;
    int64_t width = 0;             // columns of a panel
    llvm::Value *stride = nullptr; // stride of panels, in elements
  };
  // Stores one k-group of `lanes` columns from `column` on. The columns belong to one panel, or to
  // several panels if the target's registers have fewer lanes.
  void storeInPanels(const PackedPanels &panels, llvm::Value *vector, llvm::Value *column,
                     llvm::Value *unit);

  ElementEmitter &e;
  IndexBuilder &index;
  llvm::IRBuilder<> &b;
  const CpuTarget &cpu;
};

} // namespace drumlin::codegen
