// Blocks of tiles that a tile unit (AMX) multiplies and accumulates. The emitted code uses the
// unit's instructions (Machine.h), or vector code with bitwise equal results.
#pragma once

#include "drumlin/codegen/cpu/element/ElementEmitter.h"
#include "drumlin/target/ComputeUnit.h"
#include "drumlin/target/ComputeUnits.h"

namespace drumlin::codegen {

// The number of rows of a tile. Each row has as many 32-bit elements.
inline constexpr int64_t tileSize = 16;

// Returns the address `offset` 32-bit elements after `base`.
llvm::Value *elementAt(llvm::IRBuilder<> &b, llvm::Value *base, llvm::Value *offset);

// The multiplication of rows and columns over one block of k in tiles. All operands and sums are in
// memory; strides are in 32-bit elements.
struct TileBlock {
  ComputeUnit unit = ComputeUnit::bf16_tiles;
  bool rowsWithoutSign = false, columnsWithoutSign = false; // for integers
  int64_t rowTiles = 0;
  llvm::Value *rows = nullptr; // each row's k-groups are contiguous
  int64_t rowStride = 0;
  llvm::SmallVector<llvm::Value *> panels; // panels of 16 columns: panel[k-group][column]
  llvm::Value *sums = nullptr;             // row-major
  int64_t sumStride = 0;
  llvm::Value *units = nullptr;   // number of k-groups, a multiple of 16
  llvm::Value *isFirst = nullptr; // i1: whether the sums start from zero, not from memory

  int64_t columnTiles() const { return static_cast<int64_t>(panels.size()); }
};

// Emits the block as code on vectors of 16 elements that computes exactly what the unit's
// instructions are defined to compute.
void emulateTiles(ElementEmitter &emitter, const TileBlock &block);

} // namespace drumlin::codegen
