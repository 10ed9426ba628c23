// Whether a plan keeps what its user requires.
#pragma once

#include "drumlin/ir/plan/Origin.h"
#include "drumlin/transforms/Ledger.h"
#include "drumlin/transforms/requirements/Requirement.h"
#include "mlir/IR/BuiltinOps.h"

#include <span>

namespace drumlin {

// The requirements that a program states itself: the strings of the module's attribute
// `drumlin.require`; and the clauses about one operation that it has as its own attribute of that
// name, or as `drumlin_require` among its `mhlo.frontend_attributes` (where JAX puts metadata).
Result<std::vector<Requirement>> requirementsOf(mlir::ModuleOp module,
                                                std::span<const plan::ProgramOperation> operations);

// Checks everything about kernels, on a module between the phases layout (for GPUs: select) and
// schedule.
// `operations` are those of the program before any phase. RequirementUnmet names the operation, the
// clause, what was found, and the decisions that are nearest to it; RequirementUnused is a
// pattern that no operation matches.
Status checkKernelRequirements(std::span<const Requirement> requirements, mlir::ModuleOp module,
                               std::span<const plan::ProgramOperation> operations,
                               const Ledger &ledger);

// Checks what is asked of the program's memory, on a module after the phase buffers.
Status checkMemoryRequirements(std::span<const Requirement> requirements, mlir::ModuleOp module);

} // namespace drumlin
