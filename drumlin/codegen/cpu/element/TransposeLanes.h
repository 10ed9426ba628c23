// Transposes of blocks that are held in registers.
#pragma once

#include "drumlin/ir/indexing/LaneForm.h"
#include "llvm/ADT/SmallVector.h"
#include "llvm/IR/IRBuilder.h"

namespace drumlin::codegen {

// Transposes so many vectors, a power of two, of as many lanes.
void transposeLanes(llvm::IRBuilder<> &b, llvm::SmallVectorImpl<llvm::Value *> &rows);

} // namespace drumlin::codegen
