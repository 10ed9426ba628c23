// Transposes of blocks that are held in registers.
#pragma once

#include "drumlin/ir/indexing/LaneForm.h"
#include "llvm/ADT/SmallVector.h"
#include "llvm/IR/IRBuilder.h"

namespace drumlin::codegen {

// As many vectors as each has lanes: rows for columns.
void transposeLanes(llvm::IRBuilder<> &b, llvm::SmallVectorImpl<llvm::Value *> &rows);

} // namespace drumlin::codegen
