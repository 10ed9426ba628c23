// What code of GEMM kernels and of their routines is written with.
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
  // Of sizes and positions: they don't overflow.
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

  // body(base) for [0, end) by vectors of lanes (or by steps of several); where the end may not be
  // whole, the last one runs with the lanes below it active only, and `mask` is what is active.
  void forLanes(llvm::Value *end, bool whole,
                llvm::function_ref<void(llvm::Value *, llvm::Value *)> body, int64_t step = 0);
  // Lanes that are not active become zero.
  llvm::Value *zeroInactive(llvm::Value *value, llvm::Value *mask);

  // Lanes of a matrix in memory, contiguous along k or along the other dimension; `stride` is of
  // the one that isn't, in elements.
  Lanes loadMatrix(ElementType type, llvm::Value *from, llvm::Value *stride, bool alongK,
                   const LaneIndex &free, const LaneIndex &depth);

  // Asks for the memory that a term is made of, some steps before it is needed: the machine
  // foresees long runs only. `emitTerm` emits the term as always; nothing but the addresses of its
  // loads stays.
  void prefetch(llvm::function_ref<void()> emitTerm);
  void prefetch(llvm::Value *address);

  // x · y + sum, rounded once where the target can.
  llvm::Value *multiplyAdd(llvm::Value *x, llvm::Value *y, llvm::Value *sum);

  // Returns the first halves of two vectors of four, and the second ones: two rows of four become
  // two blocks of 2 × 2, and those become rows.
  std::pair<llvm::Value *, llvm::Value *> pairHalves(llvm::Value *upper, llvm::Value *lower) {
    return {b.CreateShuffleVector(upper, lower, {0, 1, 4, 5}),
            b.CreateShuffleVector(upper, lower, {2, 3, 6, 7})};
  }

  // Sums of blocks in memory: lanes of blocks at `place`, of their sums' parts `size` and twice as
  // many elements behind it. First the parts are cleared, in the end the place has the sum.
  struct PlaceOfBlocks {
    llvm::FixedVectorType *vector;
    llvm::Value *place, *size;
    llvm::Value *part(llvm::IRBuilder<> &builder, uint64_t number) const;
  };
  void clearParts(const PlaceOfBlocks &sums);
  void addBlock(const PlaceOfBlocks &sums);
  void joinParts(const PlaceOfBlocks &sums);

  // Packed columns: panels of one register each, panel[unit of k][columns of a register].
  struct PackedPanels {
    llvm::Value *memory = nullptr;
    llvm::Type *type = nullptr;
    int64_t width = 0;             // columns of a panel
    llvm::Value *stride = nullptr; // from panel to panel, in elements
  };
  // Lanes of columns from `column` on at one unit: one panel, or several where the target's
  // registers are shorter.
  void storeInPanels(const PackedPanels &panels, llvm::Value *vector, llvm::Value *column,
                     llvm::Value *unit);

  ElementEmitter &e;
  IndexBuilder &index;
  llvm::IRBuilder<> &b;
  const CpuTarget &cpu;
};

} // namespace drumlin::codegen
