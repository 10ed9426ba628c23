// Schedules for a GEMM kernel: the cost model's choice, and named alternatives that the tuner
// times.
//
// All candidates of a kernel give bit-identical results: they add up k elements in one order
// (ir/plan/gemm/GemmSchedule.h, SumOrder). Each has at least as many work items as the cost
// model's, or at least eight: a schedule that is fast on one thread must not be slow on many.
// Candidates depend only on the kernel's region and the target, never on the number of threads.
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
  // True if the user named a schedule that adds up k elements in another order than the cost
  // model's choice. Otherwise the result's bits depend on shape and target alone.
  bool changesSums = false;
  bool isEdited = false; // the text's schedule differs from what would be chosen
  Prediction prediction; // the predicted time and the runner-up
};

// Returns the schedule that a plan.gemm already has, or else a schedule of the algorithm that the
// user forced for it (KernelChoiceUnfit if that can't compute this GEMM), or the cost model's.
Result<ScheduleChoice> chooseGemmSchedule(mlir::Operation *kernel, const CpuTarget &target,
                                          Numerics numerics);

// Adds the ledger entries about a kernel's schedule.
void recordSchedule(mlir::Operation *kernel, const ScheduleChoice &choice, Ledger &ledger);

// Returns the candidates for a plan.gemm, or a plan.kernel of that kind, whatever schedule it has:
// the cost model's first, no two equal. Fails with KernelChoiceUnfit as chooseGemmSchedule() does.
Result<std::vector<NamedSchedule>> gemmCandidates(mlir::Operation *kernel, const CpuTarget &target,
                                                  Numerics numerics);

} // namespace drumlin
