// How long a plan takes at least on a machine of given rates, launch by launch.
//
//   seconds of a call = max(hardware FLOPs / peak, bytes / read rate) + seconds of a launch
//
// The peak is that of what the kernel computes with: the bf16 or 16-bit dot instruction of the
// target where a product uses it (twice f32's operations), half of f32's for f64, f32's for
// everything else. Kernels run one after another, so the times add up. Of a GPU's plan it is that
// of products in the types that the call or the kernel multiplies, and f32's of everything else. A
// CPU's launches count nothing here.
#pragma once

#include "drumlin/ir/costs/ProgramCost.h"
#include "drumlin/target/LibraryCall.h"
#include "drumlin/target/MachineLimits.h"

namespace drumlin {

struct ProgramEstimate {
  double seconds = 0;
  double memoryBoundSeconds = 0; // of calls that memory bounds, without their launches
  double launchSeconds = 0;
};

// Fills the estimate of each launch.
ProgramEstimate estimateTimes(mlir::ModuleOp module, const MachineLimits &limits, PlanCost &costs);
ProgramEstimate estimateTimes(const GpuTarget &target, PlanCost &costs);
// Of one kernel, before it is outlined.
TimeEstimate estimateTime(const GpuTarget &target, mlir::Operation *kernel);

// Lines about transposed bytes where they are more than a tenth of all: which launches move them,
// and what would avoid it. Empty otherwise.
std::string transposeText(const PlanCost &costs);

} // namespace drumlin
