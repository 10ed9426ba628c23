// Schedules as attributes of kernels.
#pragma once

#include "drumlin/ir/plan/PlanDialect.h"

#include <optional>

namespace drumlin {

// Returns the schedule of a plan.gemm or plan.loop, or of the plan.kernel that it became; nothing
// if it has none yet.
std::optional<GemmSchedule> gemmScheduleOf(mlir::Operation *kernel);
std::optional<LoopSchedule> loopScheduleOf(mlir::Operation *kernel);

void setSchedule(mlir::Operation *kernel, const GemmSchedule &schedule);
void setSchedule(mlir::Operation *kernel, const LoopSchedule &schedule);

} // namespace drumlin
