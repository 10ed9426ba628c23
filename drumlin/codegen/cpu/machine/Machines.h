// The machine of each architecture.
#pragma once

#include "drumlin/codegen/cpu/machine/Machine.h"

namespace drumlin::codegen {

// Returns the machine of the target's architecture, which lives as long as the process.
const Machine &machineOf(const CpuTarget &target);

// The function may use the target's features and its whole registers, and is scheduled for it.
void setTargetAttributes(llvm::Function &function, const CpuTarget &target);

} // namespace drumlin::codegen
