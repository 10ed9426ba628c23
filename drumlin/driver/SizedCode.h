// Code of kernels whose sizes are known when the program runs (docs/dynamic-shapes.md).
#pragma once

#include "drumlin/codegen/cpu/KernelProperties.h"
#include "drumlin/codegen/cpu/routines/RoutineLibrary.h"
#include "drumlin/ir/plan/PlanDialect.h"
#include "drumlin/support/Diagnostics.h"
#include "drumlin/target/CpuTarget.h"
#include "llvm/IR/Module.h"

namespace drumlin {

// Such a kernel has the same code whatever the nominal sizes are: what depends on sizes reads them.
// `made` and `code` are those at its own, with calls of these routines. Fails with
// UnsupportedDynamicShape where the code takes a nominal size for the call's.
Status checkSizedCode(plan::KernelOp kernel, const codegen::KernelProperties &made,
                      const llvm::Module &code, const CpuTarget &target,
                      const RoutineLibrary &routines);

} // namespace drumlin
