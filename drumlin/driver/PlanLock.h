// A plan lock: a plan's text that people review and keep beside their program. It lists each kernel
// with its operations, types and costs. drumlin/driver/PlanDiff.h compares two locks.
//
//   drumlin plan lock 2
//   program step
//   target avx512
//   arena 16384
//   layout argument 1 #plan.layout<[0, 1]>
//   kernel gemm calls=4 flops=593923 read=10252 written=4096
//     in f8E4M3FN[64x256] f32[]
//     out bf16[64x128]
//     part scale_lhs
//     op stablehlo.dot_general step.mlir:12:10
//   end
//
// The line `end` shows that the lock is complete.
//
// The same program, options and compiler yield the same text.
#pragma once

#include "drumlin/driver/Phases.h"
#include "drumlin/ir/costs/ProgramCost.h"
#include "drumlin/target/Target.h"

#include <string>
#include <vector>

namespace drumlin {

struct LockedKernel {
  std::string kind;                                   // `gemm`, `library_call`, `loop` …, or `copy`
  int64_t calls = 1;                                  // calls in one run of the program
  int64_t flops = 0, bytesRead = 0, bytesWritten = 0; // totals of all calls
  std::vector<std::string> inputs, outputs;           // `bf16[64x128]`
  std::vector<std::string> parts;                     // see docs/requirements.md
  std::vector<std::string> operations;                // names and sources in the program

  bool operator==(const LockedKernel &) const = default;
};

struct PlanLock {
  std::string program, target;
  int64_t arenaBytes = 0;
  // The program's arguments and results whose layout isn't row-major: `argument 1 #plan.layout<…>`.
  // Values between kernels are row-major: if such a value is stored in another dimension order, the
  // order of the dimensions in its type shows this.
  std::vector<std::string> layouts;
  std::vector<LockedKernel> kernels; // launches, in the order in which they run

  int64_t flops() const;
  int64_t bytes() const;
  bool operator==(const PlanLock &) const = default;
};

// Makes the lock of a module after all phases (for a GPU: after `select`). `operations`:
// PhaseResult::operations of these phases. `costs`: planCost() of the module.
PlanLock makePlanLock(mlir::ModuleOp module, const std::string &program, const Target &target,
                      const std::vector<plan::ProgramOperation> &operations, const PlanCost &costs);

// Returns tensor types in the form of locks, `bf16[64x128]`; skips other types.
std::vector<std::string> typeTexts(mlir::TypeRange types);

std::string lockText(const PlanLock &lock);
bool isLockText(std::string_view text);
// Parses a lock. Fails with LockInvalid if a line is wrong or the last line is missing. `path` is
// for messages.
Result<PlanLock> parseLock(std::string_view text, const std::string &path);

} // namespace drumlin
