// Estimated time of each kernel of a plan, for comparing kernels with each other. These are
// estimates rather than bounds, computed from the target's table, so that they are the same on
// every machine.
#pragma once

#include "drumlin/ir/costs/ProgramCost.h"
#include "drumlin/ir/plan/KernelOp.h"
#include "drumlin/ir/plan/gemm/GemmSchedule.h"
#include "drumlin/target/CpuTarget.h"

namespace drumlin {

// Time of all launches of one kernel in one run of the program.
struct KernelTime {
  plan::KernelOp kernel;
  double seconds = 0;
  double secondsOfCall = 0; // of the first launch
  // Approximate additional time if the kernel's code is generated quickly (CodeEffort.h).
  double secondsIfQuick = 0;
  // Whether a launch is in a loop of unknown trip count. In this case, the times are for one trip.
  bool isOfUnknownLoop = false;
};

// Returns the times of an outlined program's kernels in ascending order; equal times are ordered by
// name. Fills `kernelCosts` with the costs of the kernels, as planCost() does.
llvm::SmallVector<KernelTime> kernelTimes(mlir::ModuleOp module, const CpuTarget &target,
                                          KernelCosts *kernelCosts = nullptr);

} // namespace drumlin
