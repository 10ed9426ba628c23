// Code of kernels whose sizes are known when the program runs (docs/dynamic-shapes.md).
#pragma once

#include "drumlin/codegen/cpu/KernelProperties.h"
#include "drumlin/codegen/cpu/routines/RoutineLibrary.h"
#include "drumlin/ir/plan/PlanDialect.h"
#include "drumlin/support/Diagnostics.h"
#include "drumlin/target/CpuTarget.h"
#include "mlir/IR/OwningOpRef.h"
#include "llvm/IR/Module.h"

namespace drumlin {

// A kernel with larger nominal sizes, or with its own where they can't be larger. Null where sizes
// have no such values.
mlir::OwningOpRef<plan::KernelOp> withLargerSizes(plan::KernelOp kernel);

// codegen::emitKernel() of any kernel. Code reads sizes that only the run tells, but an index map
// is simplified by what its indices may be: what holds for larger sizes than the nominal ones holds
// for smaller ones, too. Fails as emitKernel() does, and with UnsupportedDynamicShape.
Result<codegen::KernelProperties> emitForAllSizes(plan::KernelOp kernel, llvm::Module &module,
                                                  const CpuTarget &target,
                                                  const RoutineLibrary &routines = {});

} // namespace drumlin
