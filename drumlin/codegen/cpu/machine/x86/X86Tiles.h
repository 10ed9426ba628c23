// Products of tiles by the processor's own registers for them (AMX).
#pragma once

#include "drumlin/codegen/cpu/gemm/GemmTiles.h"

namespace drumlin::codegen {

void multiplyX86Tiles(ElementEmitter &emitter, llvm::Module &module, const TileBlock &block);

} // namespace drumlin::codegen
