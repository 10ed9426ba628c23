// The plan dialect: the optimized program as data (docs/architecture.md, "The plan").
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

#define GET_OP_CLASSES
#include "drumlin/ir/plan/PlanOps.h.inc"

namespace drumlin::plan {

// On a dot whose operands are those of the program's dot in the other order: what is reported about
// `lhs` and `rhs` is in the program's words.
inline constexpr const char *swappedAttribute = "plan.swapped";
// The operand of a dot or convolution that the program calls `lhs` (0) or `rhs` (1).
inline mlir::Value programOperand(mlir::Operation *hero, unsigned index) {
  return hero->getOperand(hero->hasAttr(swappedAttribute) ? 1 - index : index);
}

// On a plan.gemm, and on the plan.kernel that it becomes: the name of the kernel that the user
// wants for it (drumlin/target/KernelLayouts.def).
inline constexpr const char *forcedKernelAttribute = "plan.force_kernel";

// On each kernel-forming operation, and on the plan.kernel that it becomes: how it runs, as an
// attribute that is a KernelSchedule (LoopScheduleAttr, GemmScheduleAttr, …).
inline constexpr const char *scheduleAttribute = "plan.schedule";

// On a plan.kernel: how much work code generation puts into it (CodeEffort.h).
inline constexpr const char *effortAttribute = "plan.effort";

// Beside the schedule: the bound of each sum of the kernel's region, in order (SumBound::units()).
inline constexpr const char *sumUnitsAttribute = "plan.sum_units";

// The kind of a kernel-forming operation (plan.loop, plan.gemm, …); nothing for any other
// operation.
std::optional<KernelKind> kernelKindOf(mlir::Operation *op);
// The kind of the kernels that have such a hero; nothing for operations that are no heroes.
std::optional<KernelKind> kernelKindOfHero(mlir::Operation *op);
// The schedule of a kernel, forming or outlined; null where it has none, or another kind's, and for
// other operations.
KernelSchedule scheduleOf(mlir::Operation *kernel);

// Makes a kernel-forming operation of a kind; its region gets an empty block with one argument for
// each input.
mlir::Operation *createKernelForming(mlir::OpBuilder &builder, mlir::Location loc, KernelKind kind,
                                     mlir::TypeRange results, mlir::ValueRange inputs);

} // namespace drumlin::plan
