// How long each kernel of a plan takes, for comparing kernels with each other: estimates rather
// than bounds, by the target's table, so that they are the same on every machine.
#pragma once

#include "drumlin/ir/costs/ProgramCost.h"
#include "drumlin/ir/plan/gemm/GemmSchedule.h"
#include "drumlin/target/CpuTarget.h"

namespace drumlin {

// In one run of the program, with all launches of the kernel.
struct KernelTime {
  plan::KernelOp kernel;
  double seconds = 0;
  // Longer that it takes if its code is made quickly (CodeEffort.h), roughly.
  double secondsIfQuick = 0;
  // Launched in a loop whose number of trips isn't known: times are those of one trip.
  bool isOfUnknownLoop = false;
};

// Of a program whose kernels are symbols, from the least time on; of equal ones by name.
// `kernelCosts` takes what kernels cost, as planCost() has it.
llvm::SmallVector<KernelTime> kernelTimes(mlir::ModuleOp module, const CpuTarget &target,
                                          KernelCosts *kernelCosts = nullptr);

} // namespace drumlin
