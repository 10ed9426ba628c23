// Schedules for a GEMM kernel: the cost model's choice, and named alternatives that the tuner
// times.
//
// All candidates of a kernel give bit-identical results: they add up k elements in the same order
// (ir/plan/gemm/GemmSchedule.h, SumOrder). Each has at least eight work items or at least as many
// as the cost model's choice: a schedule that is fast on one thread must not be slow on many.
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
  // True if the program's text has a schedule that differs from the one that would be chosen.
  bool isEdited = false;
  Prediction prediction; // the predicted time and the runner-up
};

// Returns the schedule that a plan.gemm already has. If it has none, returns a schedule of the
// algorithm that the user forced, or else the cost model's choice. Fails with KernelChoiceUnfit if
// the forced algorithm can't compute this GEMM.
Result<ScheduleChoice> chooseGemmSchedule(mlir::Operation *kernel, const CpuTarget &target,
                                          Numerics numerics);

// Adds the ledger entries about a kernel's schedule.
void recordSchedule(mlir::Operation *kernel, const ScheduleChoice &choice, Ledger &ledger);

// Returns the candidates for a plan.gemm, or for a plan.kernel of that kind. They don't depend on
// the schedule that the kernel has. The cost model's choice is first, and no two are equal. Fails
// with KernelChoiceUnfit in the same cases as chooseGemmSchedule().
Result<std::vector<NamedSchedule>> gemmCandidates(mlir::Operation *kernel, const CpuTarget &target,
                                                  Numerics numerics);

} // namespace drumlin
