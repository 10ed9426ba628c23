// Gives kernels measured schedules in place of the cost model's: from the record, or by timing
// every candidate on this machine and writing the record.
#pragma once

#include "drumlin/driver/Options.h"
#include "drumlin/driver/tuner/Tuner.h"
#include "drumlin/driver/tuner/TuningRecord.h"
#include "drumlin/ir/plan/PlanDialect.h"
#include "drumlin/target/CpuTarget.h"
#include "drumlin/transforms/Ledger.h"
#include "drumlin/transforms/gemm/GemmCandidates.h"
#include "mlir/IR/BuiltinOps.h"

#include <chrono>
#include <optional>

namespace drumlin {

// Replaces the schedule of each kernel of a placed program that has several, as `options.tuning`
// says; kernels that carry another one than the cost model's keep it. What was measured is written
// to the record. Fails with TuningOptions, TuningRecordInvalid, TuningChoiceUnknown, TuningMissing,
// or as compilation does. What isn't measured yet at `deadline` keeps the cost model's; kernels in
// which the program is predicted to spend more time come first.
using Deadline = std::optional<std::chrono::steady_clock::time_point>;
Status tuneKernels(mlir::ModuleOp module, const CpuTarget &target, const CompileOptions &options,
                   Ledger &ledger, Deadline deadline = std::nullopt);

// The schedules of a kernel, the cost model's first; none where there is nothing to choose, or
// where the kernel's buffers are too large to be made for a measurement.
Result<std::vector<NamedSchedule>> schedulesOf(plan::KernelOp kernel, const CpuTarget &target,
                                               Numerics numerics);

// The version that records state: of the build, which decides what schedules there are, and what
// code they become.
std::string tuningVersion();
// What the kernel's dot or convolution computes, for people who read a record.
std::string subjectOf(plan::KernelOp kernel);

// Where a kernel's large arguments lie when its turn comes: in the second cache, if all that the
// program touches fits there about twice, or beyond it. What is fast differs, so that both are
// measured and recorded apart. Kernels without large arguments are near in every program.
enum class Operands { Near, Far };
Operands operandsOf(plan::KernelOp kernel, mlir::ModuleOp program, const CpuTarget &target);
// The key that records state: that of what the kernel computes, and where its operands lie.
std::string tuningKey(plan::KernelOp kernel, Operands operands);

// Times all schedules of a kernel, each as a program of its own, on one thread, with random data.
Result<RecordedKernel> measureKernel(plan::KernelOp kernel, Operands operands,
                                     const std::vector<NamedSchedule> &schedules,
                                     const CpuTarget &target, const CompileOptions &options);

} // namespace drumlin
