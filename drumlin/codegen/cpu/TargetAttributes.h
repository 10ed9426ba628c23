// The function attributes by which LLVM compiles for a target.
#pragma once

#include "drumlin/target/CpuTarget.h"
#include "llvm/IR/Function.h"

namespace drumlin::codegen {

// The function may use the target's features and its whole registers, and is scheduled for it.
void setTargetAttributes(llvm::Function &function, const CpuTarget &target);

} // namespace drumlin::codegen
