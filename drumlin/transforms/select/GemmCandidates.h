// Schedules for a GEMM kernel: the cost model's, and others by name, which the tuner times.
//
// All candidates of a kernel give the same bits. They differ in which products are computed when,
// never in the order in which one sum takes in its terms; and where a kernel combines its whole
// result, so that the cut into tiles decides the order of that sum, none cuts it otherwise. None
// has fewer tasks than the cost model's has, up to eight: what is fast on one thread must not be
// slow on many. All are functions of the kernel's region and the target, never of the number of
// threads.
#pragma once

#include "drumlin/ir/plan/gemm/GemmSchedule.h"
#include "drumlin/support/Diagnostics.h"
#include "drumlin/target/CpuTarget.h"

#include <string>
#include <vector>

namespace drumlin {

inline constexpr const char *costModelSchedule = "default";

struct NamedSchedule {
  std::string name;
  GemmSchedule schedule;
};

// The cost model's schedule for a plan.gemm, or a plan.kernel of that kind, or one of the algorithm
// that the user has named for it: KernelChoiceUnfit where that doesn't compute such products.
Result<GemmSchedule> chooseGemmSchedule(mlir::Operation *kernel, const CpuTarget &target);

// The cost model's first; no two are equal. KernelChoiceUnfit as above.
Result<std::vector<NamedSchedule>> gemmCandidates(mlir::Operation *kernel, const CpuTarget &target);

} // namespace drumlin
