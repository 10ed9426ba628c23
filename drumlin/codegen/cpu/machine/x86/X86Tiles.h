// Tile multiplication with x86's tile registers (AMX).
#pragma once

#include "drumlin/codegen/cpu/gemm/GemmTiles.h"

namespace drumlin::codegen {

void multiplyX86Tiles(ElementEmitter &emitter, llvm::Module &module, const TileBlock &block);

} // namespace drumlin::codegen
