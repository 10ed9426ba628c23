// Blocks of tiles that a tile unit (AMX) multiplies and accumulates: by processor instructions
// (Machine.h), or by vector code with bitwise equal results.
#pragma once

#include "drumlin/codegen/cpu/element/ElementEmitter.h"
#include "drumlin/target/ComputeUnit.h"
#include "drumlin/target/ComputeUnits.h"

namespace drumlin::codegen {

// Rows of a tile, and 32-bit elements in each row.
inline constexpr int64_t tileSize = 16;

// Returns the address `offset` 32-bit elements after `base`.
llvm::Value *elementAt(llvm::IRBuilder<> &b, llvm::Value *base, llvm::Value *offset);

// Sums of tiles over a block of k, all in memory; strides in 32-bit elements.
struct TileBlock {
  ComputeUnit unit = ComputeUnit::bf16_tiles;
  bool rowsWithoutSign = false, columnsWithoutSign = false; // of integers
  int64_t rowTiles = 0;
  llvm::Value *rows = nullptr; // each row's k-groups are contiguous
  int64_t rowStride = 0;
  llvm::SmallVector<llvm::Value *> panels; // of 16 columns each: panel[k-group][column]
  llvm::Value *sums = nullptr;             // row-major
  int64_t sumStride = 0;
  llvm::Value *units = nullptr;   // k-groups, a multiple of 16
  llvm::Value *isFirst = nullptr; // the sums start from zero instead of from memory

  int64_t columnTiles() const { return static_cast<int64_t>(panels.size()); }
};

// Emits the block in vectors of 16, following the definitions of the instructions.
void emulateTiles(ElementEmitter &emitter, const TileBlock &block);

} // namespace drumlin::codegen
