// The plan dialect: the optimized program as data (docs/architecture.md, "The plan"). The class of
// each operation is declared by a generated header of its name, such as LaunchOp.h.
#pragma once

#include "drumlin/ir/indexing/IndexingInterface.h"
#include "drumlin/ir/plan/PlanEnums.h"
#include "drumlin/ir/plan/ScheduleInterface.h"
#include "drumlin/ir/plan/gemm/GemmSchedule.h"
#include "drumlin/ir/plan/loop/LoopSchedule.h"
#include "drumlin/support/SizeExpression.h"
#include "mlir/IR/BuiltinAttributes.h"
#include "mlir/IR/BuiltinTypes.h"
#include "mlir/IR/Dialect.h"
#include "mlir/IR/OpDefinition.h"
#include "mlir/IR/OpImplementation.h"
#include "mlir/IR/SymbolTable.h"
#include "mlir/Interfaces/ControlFlowInterfaces.h"
#include "mlir/Interfaces/SideEffectInterfaces.h"

#include "drumlin/ir/plan/PlanDialect.h.inc"

#define GET_ATTRDEF_CLASSES
#include "drumlin/ir/plan/PlanAttributes.h.inc"

namespace drumlin::plan {

// Marks a dot whose operands are swapped relative to the program's dot. Reports still use `lhs` and
// `rhs` as the program does.
inline constexpr const char *swappedAttribute = "plan.swapped";
// Returns the operand of a dot or convolution that the program calls `lhs` (0) or `rhs` (1).
inline mlir::Value programOperand(mlir::Operation *hero, unsigned index) {
  return hero->getOperand(hero->hasAttr(swappedAttribute) ? 1 - index : index);
}

// Attribute of a plan.gemm, and of the plan.kernel that it becomes: the name of the kernel that the
// user requires for it (drumlin/target/KernelLayouts.def).
inline constexpr const char *forcedKernelAttribute = "plan.force_kernel";

// Attribute of each kernel-forming operation, and of the plan.kernel that it becomes: its schedule,
// an attribute with the interface KernelSchedule (LoopScheduleAttr, GemmScheduleAttr, …).
inline constexpr const char *scheduleAttribute = "plan.schedule";

// Attribute of a plan.kernel: how much work code generation spends on it (CodeEffort.h).
inline constexpr const char *effortAttribute = "plan.effort";

// Attribute of an operation that has a schedule: the error bounds of the sums in its region, in
// program order (SumBound::units()).
inline constexpr const char *sumUnitsAttribute = "plan.sum_units";

// Returns the kind of a kernel-forming operation (plan.loop, plan.gemm, …); nothing for other
// operations.
std::optional<KernelKind> kernelKindOf(mlir::Operation *op);
// Returns the kind of the kernels that have this operation as hero; nothing for operations that are
// no heroes.
std::optional<KernelKind> kernelKindOfHero(mlir::Operation *op);
// Returns the schedule of a kernel, before or after outlining. Returns null if the kernel has no
// schedule, or the schedule of another kind of kernel, and for operations that are no kernels.
KernelSchedule scheduleOf(mlir::Operation *kernel);

// Creates a kernel-forming operation of kind `kind`. Its region has an empty block with one
// argument per input.
mlir::Operation *createKernelForming(mlir::OpBuilder &builder, mlir::Location loc, KernelKind kind,
                                     mlir::TypeRange results, mlir::ValueRange inputs);

} // namespace drumlin::plan
