// Replaces the schedules that the cost model chose for kernels by measured ones. These come from
// the tuning record, or from timing every candidate on this machine, which also writes the record.
#pragma once

#include "drumlin/driver/Options.h"
#include "drumlin/driver/tuner/Tuner.h"
#include "drumlin/driver/tuner/TuningRecord.h"
#include "drumlin/ir/plan/KernelOp.h"
#include "drumlin/target/CpuTarget.h"
#include "drumlin/transforms/Ledger.h"
#include "drumlin/transforms/gemm/GemmCandidates.h"
#include "mlir/IR/BuiltinOps.h"

#include <chrono>
#include <optional>

namespace drumlin {

// Replaces the schedules of a placed program's kernels according to `options.tuning`, for kernels
// that have several candidates. A kernel whose schedule isn't the cost model's choice keeps its
// schedule. Kernels are measured in the order of their predicted total time, longest first. Kernels
// that aren't yet measured at `deadline` keep the cost model's schedule. Writes measurements to the
// record. Fails with TuningOptions, TuningRecordInvalid, TuningChoiceUnknown or TuningMissing, or
// with an error of compiling a candidate.
using Deadline = std::optional<std::chrono::steady_clock::time_point>;
Status tuneKernels(mlir::ModuleOp module, const CpuTarget &target, const CompileOptions &options,
                   Ledger &ledger, Deadline deadline = std::nullopt);

// Returns the kernel's candidate schedules, with the cost model's schedule first; empty if the
// kernel has only one schedule, or if its buffers are too large to measure.
Result<std::vector<NamedSchedule>> schedulesOf(plan::KernelOp kernel, const CpuTarget &target,
                                               Numerics numerics);

// Returns the version for tuning records. It identifies the build, which determines the candidates
// and their code.
std::string tuningVersion();
// Returns a description of the kernel's dot or convolution, for people who read a record.
std::string subjectOf(plan::KernelOp kernel);

// The memory that contains a kernel's large arguments when the kernel is launched. Near: L2, which
// is assumed if all of the program's data takes at most twice the size of L2. Far: memory outside
// L2. The fastest schedule differs between Near and Far, so both are measured and recorded
// separately. Kernels without large arguments are always Near.
enum class Operands { Near, Far };
Operands operandsOf(plan::KernelOp kernel, mlir::ModuleOp program, const CpuTarget &target);
// Returns the kernel's key in tuning records. It identifies the computation and the memory that
// contains its operands.
std::string tuningKey(plan::KernelOp kernel, Operands operands);

// Times all schedules of a kernel on one thread, with random data. Each schedule runs in a separate
// program.
Result<RecordedKernel> measureKernel(plan::KernelOp kernel, Operands operands,
                                     const std::vector<NamedSchedule> &schedules,
                                     const CpuTarget &target, const CompileOptions &options);

} // namespace drumlin
