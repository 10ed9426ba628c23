// Finds the machine of a target's architecture.
#pragma once

#include "drumlin/codegen/cpu/machine/Machine.h"

namespace drumlin::codegen {

// Returns the machine of the target's architecture, which lives as long as the process.
const Machine &machineOf(const CpuTarget &target);

// Sets attributes so that the function uses the target's features and full registers, and is
// scheduled for the target.
void setTargetAttributes(llvm::Function &function, const CpuTarget &target);

} // namespace drumlin::codegen
