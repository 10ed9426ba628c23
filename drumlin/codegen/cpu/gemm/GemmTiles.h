// Blocks of tiles that a unit (AMX) multiplies and adds up: by instructions of the processor
// (Machine.h), or by vector code that gives the same bits.
#pragma once

#include "drumlin/codegen/cpu/element/ElementEmitter.h"
#include "drumlin/target/ComputeUnit.h"

namespace drumlin::codegen {

// Rows of a tile, and elements of 32 bits in each.
inline constexpr int64_t tileSize = 16;

// Returns the address of an element of 32 bits, so many behind another.
llvm::Value *elementAt(llvm::IRBuilder<> &b, llvm::Value *base, llvm::Value *offset);

// Sums of tiles over a block of k, all in memory; strides in elements of 32 bits.
struct TileBlock {
  ComputeUnit unit = ComputeUnit::bf16_tiles;
  bool rowsWithoutSign = false, columnsWithoutSign = false; // of integers
  int64_t rowTiles = 0;
  llvm::Value *rows = nullptr; // each row's elements of k follow one another
  int64_t rowStride = 0;
  llvm::SmallVector<llvm::Value *> panels; // of 16 columns each: panel[element of k][column]
  llvm::Value *sums = nullptr;             // row-major
  int64_t sumStride = 0;
  llvm::Value *units = nullptr;   // elements of k, in multiples of 16
  llvm::Value *isFirst = nullptr; // the block's sums begin with zero, whatever lies in memory

  int64_t columnTiles() const { return static_cast<int64_t>(panels.size()); }
};

// In vectors of 16, as the instructions' definitions compute it.
void emulateTiles(ElementEmitter &emitter, const TileBlock &block);

} // namespace drumlin::codegen
