// A second schedule of a product's kernel, where a size that the run tells is small: what is best
// for many rows isn't best for one.
#pragma once

#include "drumlin/ir/plan/PlanDialect.h"
#include "drumlin/support/SizeExpression.h"

#include <optional>

namespace drumlin {

struct SmallSchedule {
  SizeExpression size;
  int64_t most = 0; // of the size, for which it is the kernel's schedule
  plan::GemmScheduleAttr schedule;
};

inline constexpr const char *smallScheduleAttribute = "plan.small_schedule";
inline constexpr const char *smallSizeAttribute = "plan.small_size"; // the size, and the most

// Of a plan.gemm, or of the plan.kernel that it becomes; nothing where it has none.
std::optional<SmallSchedule> smallScheduleOf(mlir::Operation *kernel);
void setSmallSchedule(mlir::Operation *kernel, const SmallSchedule &small);

} // namespace drumlin
