// Schedules for a GEMM kernel: the cost model's, and others by name, which the tuner times.
//
// All candidates of a kernel give the same bits: they add up terms in one order
// (ir/plan/gemm/GemmSchedule.h, SumOrder). None has fewer tasks than the cost model's has, up to
// eight: what is fast on one thread must not be slow on many. All are functions of the kernel's
// region and the target, never of the number of threads.
#pragma once

#include "drumlin/ir/plan/gemm/GemmSchedule.h"
#include "drumlin/support/Diagnostics.h"
#include "drumlin/target/CpuTarget.h"
#include "drumlin/transforms/Ledger.h"

#include <string>
#include <vector>

namespace drumlin {

inline constexpr const char *costModelSchedule = "default";

struct NamedSchedule {
  std::string name;
  GemmSchedule schedule;
};

struct ScheduleChoice {
  GemmSchedule schedule;
  // Bits follow from shape and target alone unless the user has named a schedule that adds up terms
  // in another order than the cost model's choice does.
  bool changesSums = false;
  bool isEdited = false; // a text has another one than would be chosen
  Prediction prediction; // what else there was
};

// The schedule that a plan.gemm has; else one of the algorithm that the user has named for it
// (KernelChoiceUnfit where that doesn't compute such products), or the cost model's.
Result<ScheduleChoice> chooseGemmSchedule(mlir::Operation *kernel, const CpuTarget &target,
                                          Numerics numerics);

// The entries that the ledger has about it.
void recordSchedule(mlir::Operation *kernel, const ScheduleChoice &choice, Ledger &ledger);

// Of a plan.gemm or a plan.kernel of that kind, whatever schedule it has: the cost model's first;
// no two are equal. KernelChoiceUnfit as above.
Result<std::vector<NamedSchedule>> gemmCandidates(mlir::Operation *kernel, const CpuTarget &target,
                                                  Numerics numerics);

} // namespace drumlin
