// Transposes square blocks in registers.
#pragma once

#include "drumlin/ir/indexing/LaneForm.h"
#include "llvm/ADT/SmallVector.h"
#include "llvm/IR/IRBuilder.h"

namespace drumlin::codegen {

// Transposes n vectors of n lanes; n is a power of two.
void transposeLanes(llvm::IRBuilder<> &b, llvm::SmallVectorImpl<llvm::Value *> &rows);

} // namespace drumlin::codegen
