// The plan dialect: the optimized program as data (docs/architecture.md, "The plan").
#pragma once

#include "mlir/IR/BuiltinAttributes.h"
#include "mlir/IR/BuiltinTypes.h"
#include "mlir/IR/Dialect.h"
#include "mlir/IR/OpDefinition.h"
#include "mlir/IR/OpImplementation.h"
#include "mlir/IR/SymbolTable.h"
#include "mlir/Interfaces/ControlFlowInterfaces.h"
#include "mlir/Interfaces/SideEffectInterfaces.h"

#include "drumlin/ir/plan/PlanDialect.h.inc"
#include "drumlin/ir/plan/PlanEnums.h.inc"

#define GET_ATTRDEF_CLASSES
#include "drumlin/ir/plan/PlanAttributes.h.inc"

#define GET_OP_CLASSES
#include "drumlin/ir/plan/PlanOps.h.inc"

namespace drumlin::plan {

// The kind of a kernel-forming operation (plan.loop, plan.gemm, …); nothing for any other
// operation.
std::optional<KernelKind> kernelKindOf(mlir::Operation *op);

// Makes a kernel-forming operation of a kind; its region gets an empty block with one argument for
// each input.
mlir::Operation *createKernelForming(mlir::OpBuilder &builder, mlir::Location loc, KernelKind kind,
                                     mlir::TypeRange results, mlir::ValueRange inputs);

} // namespace drumlin::plan
