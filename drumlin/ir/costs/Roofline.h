// Lower bound of a plan's time on a machine of given rates, launch by launch.
//
//   seconds of a call = max(hardware FLOPs / peak, bytes / read rate) + seconds of a launch
//
// The peak depends on the instructions that the kernel uses. On a CPU, it is the peak of the
// target's bf16 or 16-bit dot instruction if a GEMM uses it (twice the peak of f32), half the peak
// of f32 for f64, and the peak of f32 for everything else. On a GPU, it is the peak of GEMMs in the
// operand types of the library call or kernel, and the peak of f32 for everything that is no GEMM.
// Kernels run one after another, so the times add up. Launches on a CPU count as free.
#pragma once

#include "drumlin/ir/costs/ProgramCost.h"
#include "drumlin/target/LibraryCall.h"
#include "drumlin/target/MachineLimits.h"

namespace drumlin {

struct ProgramEstimate {
  double seconds = 0;
  double memoryBoundSeconds = 0; // of memory-bound calls, without their launches
  double launchSeconds = 0;
};

// Fills in the estimate of each launch.
ProgramEstimate estimateTimes(mlir::ModuleOp module, const MachineLimits &limits, PlanCost &costs);
ProgramEstimate estimateTimes(const GpuTarget &target, PlanCost &costs);
// Returns the estimate of one kernel, before it is outlined.
TimeEstimate estimateTime(const GpuTarget &target, mlir::Operation *kernel);

// Returns lines about transposed bytes if these are more than a tenth of all bytes: which launches
// transpose them, and how to avoid this. Otherwise returns an empty text.
std::string transposeText(const PlanCost &costs);

} // namespace drumlin
