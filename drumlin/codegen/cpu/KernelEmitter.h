// Emits one plan.kernel as an LLVM function with the kernel ABI (drumlin/runtime/Abi.h).
#pragma once

#include "drumlin/codegen/cpu/KernelProperties.h"
#include "drumlin/codegen/cpu/SizeCode.h"
#include "drumlin/codegen/cpu/element/ElementEmitter.h"
#include "drumlin/codegen/cpu/routines/RoutineLibrary.h"
#include "drumlin/ir/plan/KernelOp.h"
#include "drumlin/support/Diagnostics.h"
#include "drumlin/target/CpuTarget.h"
#include "llvm/IR/Module.h"

namespace drumlin::codegen {

// Emits the kernel's function, named `name`, into a module. Fails with a diagnostic if an operation
// or a type has no native code. `observer` sees the values that the code computes. Routines that
// the routine library has are only declared in the module; other routines are defined in it.
Result<KernelProperties> emitKernel(plan::KernelOp kernel, llvm::StringRef name,
                                    llvm::Module &module, const CpuTarget &target,
                                    const RoutineLibrary &routines = {},
                                    ValueObserver observer = {});

// The state with which the code generation of a kernel of any kind starts: the kernel's function, a
// builder, an element emitter, and the buffers that are bound to the region's values.
struct KernelFrame {
  plan::KernelOp kernel;
  llvm::Module &module;
  const CpuTarget &target;
  const RoutineLibrary &routines;
  llvm::Function *function;
  llvm::IRBuilder<> &builder;
  ElementEmitter &emitter;
  llvm::Value *scratch;
  llvm::Value *tileBegin;
  llvm::Value *tileEnd;
  llvm::SmallVector<Buffer> outputs; // the outputs' buffers, in the order of results
  llvm::Value *partials; // address of the pointer to partial results; valid if partialBytes is set
  std::string name;
  SizeCode &sizes; // emits the kernel's size symbols
  // The bytes of each thread's scratch memory that are allocated so far.
  SizeExpression scratchSize = SizeExpression(0);

  // Allocates `bytes` of the thread's scratch memory, starting at a cache line.
  llvm::Value *takeScratch(const SizeExpression &bytes);

  // For kernels of several steps: the temporary buffer that all tiles share, of which the kernel
  // may use what follows the first `bytesOfStep`, and the number of the current step.
  static constexpr int64_t bytesOfStep = 64;
  struct SharedMemory {
    llvm::Value *start, *step;
  };
  SharedMemory loadSharedMemory();

  // Reports that the kernel's schedule doesn't fit the kernel's region or the target.
  void refuseSchedule(const std::string &fault);
};

// Creates a kernel's function with its buffers bound and the builder at its start; `body` emits
// everything but the return.
Status withKernelFrame(plan::KernelOp kernel, llvm::StringRef name, llvm::Module &module,
                       const CpuTarget &target, const RoutineLibrary &routines,
                       llvm::function_ref<void(KernelFrame &)> body);

// Returns the schedule of a kernel that isn't a GEMM. If the schedule is missing or belongs to
// another kind of kernel, refuses the kernel and returns null.
template <typename Schedule, typename Problem>
Schedule scheduleFor(KernelFrame &frame, const Problem &problem) {
  auto schedule = frame.kernel->getAttrOfType<Schedule>(plan::scheduleAttribute);
  std::string fault = !problem.op ? "the kernel's region doesn't match its kind"
                      : schedule  ? findScheduleFault(schedule, problem)
                                  : "it is missing";
  if (!fault.empty()) {
    frame.refuseSchedule(fault);
    return {};
  }
  return schedule;
}

// Tag that selects the code generation of one kind of kernel (plan::ScatterOp etc.): each kind
// defines `emit` in its own file. The friend declaration in this template declares one overload of
// `emit` for each tag.
template <typename Op> struct Emission {
  friend KernelProperties emit(Emission, KernelFrame &frame);
};

} // namespace drumlin::codegen
