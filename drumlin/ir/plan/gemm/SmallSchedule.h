// A second schedule of a GEMM kernel for runs in which a symbolic size is small, because the best
// schedule for many rows isn't the best for one row.
#pragma once

#include "drumlin/ir/plan/PlanDialect.h"
#include "drumlin/support/SizeExpression.h"

#include <optional>

namespace drumlin {

struct SmallSchedule {
  SizeExpression size;
  int64_t most = 0; // the kernel uses the schedule if `size` is at most this number
  plan::GemmScheduleAttr schedule;
};

inline constexpr const char *smallScheduleAttribute = "plan.small_schedule";
inline constexpr const char *smallSizeAttribute = "plan.small_size"; // `size` and `most`

// Returns the small schedule of a plan.gemm, or of the plan.kernel that it becomes; nothing if it
// has none.
std::optional<SmallSchedule> smallScheduleOf(mlir::Operation *kernel);
void setSmallSchedule(mlir::Operation *kernel, const SmallSchedule &small);

} // namespace drumlin
