// Kernel emission: from one plan.kernel to an LLVM function with the kernel ABI
// (drumlin/runtime/Abi.h).
#pragma once

#include "drumlin/codegen/cpu/KernelProperties.h"
#include "drumlin/codegen/cpu/SizeCode.h"
#include "drumlin/codegen/cpu/element/ElementEmitter.h"
#include "drumlin/codegen/cpu/routines/RoutineLibrary.h"
#include "drumlin/ir/plan/PlanDialect.h"
#include "drumlin/support/Diagnostics.h"
#include "drumlin/target/CpuTarget.h"
#include "llvm/IR/Module.h"

namespace drumlin::codegen {

// Emits the kernel's function, named `name`, into a module. Fails with a diagnostic where there is
// no native code for an operation or a type. `observer` sees the values that the code computes.
// Routines of the library are declared where they are called; all others are defined.
Result<KernelProperties> emitKernel(plan::KernelOp kernel, llvm::StringRef name,
                                    llvm::Module &module, const CpuTarget &target,
                                    const RoutineLibrary &routines = {},
                                    ValueObserver observer = {});

// What every kind of kernel starts from: its function, builder, emitter, and the buffers bound to
// the region's values.
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
  llvm::SmallVector<Buffer> outputs; // by result number
  llvm::Value *partials; // the pointer after the outputs; to be used only where partialBytes is set
  std::string name;
  SizeCode &sizes; // of the kernel's symbols
  // Bytes of each thread's scratch memory that the code has handed out.
  SizeExpression scratchSize = SizeExpression(0);

  // The thread's scratch memory from the next whole line on.
  llvm::Value *takeScratch(const SizeExpression &bytes);

  // The kernel's schedule isn't one of its region's, or of the target's.
  void refuseSchedule(const std::string &fault);
};

// The function of a kernel, with its buffers bound and the builder at its start; `body` emits the
// rest but the return.
Status withKernelFrame(plan::KernelOp kernel, llvm::StringRef name, llvm::Module &module,
                       const CpuTarget &target, const RoutineLibrary &routines,
                       llvm::function_ref<void(KernelFrame &)> body);

// The schedule of a kernel that isn't a product; null, and the kernel is refused, where it has none
// or another kernel's.
template <typename Schedule, typename Problem>
Schedule scheduleFor(KernelFrame &frame, const Problem &problem) {
  auto schedule = frame.kernel->getAttrOfType<Schedule>(plan::scheduleAttribute);
  std::string fault = !problem.op ? "its region isn't of its kind"
                      : schedule  ? findScheduleFault(schedule, problem)
                                  : "it has none";
  if (!fault.empty()) {
    frame.refuseSchedule(fault);
    return {};
  }
  return schedule;
}

// Code generation of the kernels that plan::ScatterOp and its like form: `emit` is defined for each
// of them in a file of its own. (A friend of a template declares a function for each type.)
template <typename Op> struct Emission {
  friend KernelProperties emit(Emission, KernelFrame &frame);
};

} // namespace drumlin::codegen
