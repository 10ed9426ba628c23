// The interface of schedules. Each kind of machine defines attributes of its own that implement it.
#ifndef DRUMLIN_PLAN_SCHEDULE_INTERFACE
#define DRUMLIN_PLAN_SCHEDULE_INTERFACE

include "mlir/IR/OpBase.td"

def KernelSchedule : AttrInterface<"KernelSchedule"> {
  let cppNamespace = "::drumlin::plan";
  let description = "How a kernel runs. Kernels below are kernel-forming operations of the schedule's kind, or the plan.kernel that one became.";
  let methods = [
    InterfaceMethod<"The kind of the kernels that have such a schedule.", "::drumlin::plan::KernelKind", "kernelKind">,
    InterfaceMethod<"What keeps it from being the kernel's, for any machine that has such schedules; empty where nothing does.",
      "std::string", "findFault", (ins "::mlir::Operation *":$kernel)>,
    InterfaceMethod<"What the kernel's hero does under it; nothing where that follows from its shapes alone, or it doesn't fit.",
      "std::optional<::drumlin::GemmCounts>", "countsOf", (ins "::mlir::Operation *":$kernel), "", "return std::nullopt;">,
    InterfaceMethod<"How far a sum of floats in the kernel's region may lie from the exact one: a product's, or a reduction's. Nothing where that is what any traversal's may.",
      "std::optional<::drumlin::SumBound>", "sumBoundOf", (ins "::mlir::Operation *":$sum), "", "return std::nullopt;">,
    InterfaceMethod<"What multiplies and adds.", "::drumlin::ComputeUnit", "unit", (ins), "", "return ::drumlin::ComputeUnit::fma;">
  ];
}

#endif // DRUMLIN_PLAN_SCHEDULE_INTERFACE
