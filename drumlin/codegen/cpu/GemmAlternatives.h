// Other schedules of a GEMM kernel than the cost model's, by name: what the tuner times.
//
// All of them give the same bits. They differ in which products are computed when, never in the
// order in which one sum takes in its terms; and where a kernel combines its whole result, so that
// the cut into parts decides the order of that sum, none cuts it otherwise. None has fewer tiles
// than the cost model's has, up to eight: what is fast on one thread must not be slow on many.
#pragma once

#include "drumlin/codegen/cpu/GemmSchedule.h"

#include <string>
#include <vector>

namespace drumlin::codegen {

// An attribute of plan.kernel: the name of its schedule. Kernels without it take the cost model's.
inline constexpr const char *scheduleAttribute = "plan.schedule";
inline constexpr const char *costModelSchedule = "default";

struct NamedSchedule {
  std::string name;
  GemmSchedule schedule;
};

// The cost model's first; no two are equal.
std::vector<NamedSchedule> gemmSchedules(KernelFrame &frame, GemmProblem &problem,
                                         GemmEpilogue &epilogue);

// Their names, for a kernel of kind `gemm`.
Result<std::vector<std::string>> gemmScheduleNames(plan::KernelOp kernel, const CpuTarget &target);

// The schedule that the kernel's attribute names. Fails with TuningChoiceUnknown.
Result<GemmSchedule> chosenSchedule(KernelFrame &frame, GemmProblem &problem,
                                    GemmEpilogue &epilogue);

} // namespace drumlin::codegen
