// The interface of schedules. Each kind of machine defines its own attributes that implement the interface.
#ifndef DRUMLIN_PLAN_SCHEDULE_INTERFACE
#define DRUMLIN_PLAN_SCHEDULE_INTERFACE

include "mlir/IR/OpBase.td"

def KernelSchedule : AttrInterface<"KernelSchedule"> {
  let cppNamespace = "::drumlin::plan";
  let description = "How a kernel runs. A kernel here is a kernel-forming operation of the schedule's kind, or the plan.kernel that it became.";
  let methods = [
    InterfaceMethod<"Returns the kind of the kernels that have such a schedule.", "::drumlin::plan::KernelKind", "kernelKind">,
    InterfaceMethod<"Returns why the schedule doesn't fit the kernel on any machine with such schedules; empty if it fits.",
      "std::string", "findFault", (ins "::mlir::Operation *":$kernel)>,
    InterfaceMethod<"Returns the work of the kernel's hero under this schedule; nothing if the shapes alone determine it, or if the schedule doesn't fit.",
      "std::optional<::drumlin::GemmCounts>", "countsOf", (ins "::mlir::Operation *":$kernel), "", "return std::nullopt;">,
    InterfaceMethod<"Returns the error bound of a dot, convolution or reduction of floats in the kernel's region. Nothing if the bound does not depend on the schedule.",
      "std::optional<::drumlin::SumBound>", "sumBoundOf", (ins "::mlir::Operation *":$sum), "", "return std::nullopt;">,
    InterfaceMethod<"Returns the compute unit for multiply-accumulates: `fma` if none is chosen.", "::drumlin::ComputeUnit", "unit", (ins), "", "return {};">
  ];
}

#endif // DRUMLIN_PLAN_SCHEDULE_INTERFACE
