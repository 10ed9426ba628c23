// Copies between a program's row-major matrices and panels (ir/plan/heroes/TriangularProblem.h). A
// panel's lanes are the matrix's columns or its rows.
#pragma once

#include "drumlin/codegen/cpu/gemm/GemmBuilder.h"
#include "drumlin/codegen/cpu/triangular/PanelRoutines.h"

namespace drumlin::codegen {

class PanelTransfer : public GemmBuilder {
public:
  // `block`: memory in which 16 × 16 elements are transposed.
  PanelTransfer(ElementEmitter &emitter, const CpuTarget &target, const PanelShape &shape,
                llvm::Value *block)
      : GemmBuilder(emitter, target), shape(shape), type(e.computeType(shape.part)), block(block) {}
  static int64_t blockBytes() { return lanes * lanes * 8; }

  // A region of a matrix: element (row, lane) is at `base + row * columns + lane`, or, if lanes are
  // the matrix's rows, at `base + lane * columns + row`. There are `count` lanes in all; a panel
  // has the lanes from `first` on and the rows [begin, end).
  struct Region {
    llvm::Value *base;
    llvm::Value *columns;
    bool lanesAreRows;
    llvm::Value *first, *count;
    llvm::Value *begin, *end;
  };

  // `element(part, at)` emits the element's real (0) or imaginary (1) part at a row-major index of
  // the operand. Lanes without an element become zero.
  using Element = llvm::function_ref<llvm::Value *(int64_t part, const LaneIndex &at)>;
  void load(const Region &region, llvm::Value *panel, Element element);
  // `store(part, at, value, row, lane)` stores a vector of elements; either `row` or `lane` is
  // uniform.
  using Store = llvm::function_ref<void(int64_t part, const LaneIndex &at, llvm::Value *value,
                                        const LaneIndex &row, const LaneIndex &lane)>;
  void store(const Region &region, llvm::Value *panel, Store store);

  llvm::Value *rowAt(llvm::Value *panel, llvm::Value *row) {
    return b.CreateGEP(type, panel, times(row, shape.rowElements()));
  }

private:
  llvm::Value *placeAt(llvm::Value *panel, llvm::Value *row, int64_t part, llvm::Value *lane) {
    return at(type, rowAt(panel, row), plus(lane, part * shape.lanes()));
  }
  llvm::Value *inBlock(llvm::Value *row) { return at(type, block, times(row, lanes)); }
  llvm::Value *loadVector(llvm::Value *place) {
    return b.CreateAlignedLoad(vectorOf(type), place, llvm::Align(16));
  }
  void storeVector(llvm::Value *vector, llvm::Value *place) {
    b.CreateAlignedStore(vector, place, llvm::Align(16));
  }
  llvm::Value *laneCount(const Region &region);
  void transposeBlock(llvm::function_ref<llvm::Value *(unsigned)> from,
                      llvm::function_ref<llvm::Value *(unsigned)> to);
  // Emits body(lane, count) for each block of sixteen lanes of the panel; the last block may have
  // fewer lanes.
  void forLaneBlocks(const Region &region,
                     llvm::function_ref<void(llvm::Value *, llvm::Value *)> body);
  // Emits body(row) for each vector of the region's rows; the last vector is masked if it is
  // partial.
  void forRowVectors(const Region &region, llvm::function_ref<void(llvm::Value *)> body);

  const PanelShape &shape;
  llvm::Type *type;
  llvm::Value *block;
};

} // namespace drumlin::codegen
