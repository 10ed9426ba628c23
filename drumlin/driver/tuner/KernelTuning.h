// Replaces kernels' cost-model schedules by measured ones: from the tuning record, or by timing
// every candidate on this machine and writing the record.
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

// Replaces the schedules of a placed program's kernels according to `options.tuning`, if a kernel
// has several candidates. A kernel keeps its schedule if the schedule isn't the cost model's
// choice. Kernels are measured in the order of their predicted total time, longest first. Kernels
// that aren't yet measured at `deadline` keep the cost model's schedule. Writes measurements to the
// record. Fails with TuningOptions, TuningRecordInvalid, TuningChoiceUnknown or TuningMissing, or
// with an error of compiling a candidate.
using Deadline = std::optional<std::chrono::steady_clock::time_point>;
Status tuneKernels(mlir::ModuleOp module, const CpuTarget &target, const CompileOptions &options,
                   Ledger &ledger, Deadline deadline = std::nullopt);

// Returns the kernel's candidate schedules, the cost model's first; empty if there is only one, or
// if the kernel's buffers are too large to measure.
Result<std::vector<NamedSchedule>> schedulesOf(plan::KernelOp kernel, const CpuTarget &target,
                                               Numerics numerics);

// Returns the version that tuning records state. It identifies the build, which determines the
// candidates and their code.
std::string tuningVersion();
// Returns a description of the kernel's dot or convolution, for people who read a record.
std::string subjectOf(plan::KernelOp kernel);

// The memory that contains a kernel's large arguments when it is launched. Near: L2, which is
// assumed if all of the program's data takes at most twice the size of L2. Far: memory outside L2.
// The fastest schedule differs between the two, so they are measured and recorded separately.
// Kernels without large arguments are always Near.
enum class Operands { Near, Far };
Operands operandsOf(plan::KernelOp kernel, mlir::ModuleOp program, const CpuTarget &target);
// Returns the key that tuning records state. It identifies the computation and the memory that
// contains its operands.
std::string tuningKey(plan::KernelOp kernel, Operands operands);

// Times all schedules of a kernel on one thread, with random data. Each schedule runs in a separate
// program.
Result<RecordedKernel> measureKernel(plan::KernelOp kernel, Operands operands,
                                     const std::vector<NamedSchedule> &schedules,
                                     const CpuTarget &target, const CompileOptions &options);

} // namespace drumlin
