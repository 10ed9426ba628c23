// Checks that a plan satisfies its user's requirements.
#pragma once

#include "drumlin/ir/plan/Origin.h"
#include "drumlin/transforms/Ledger.h"
#include "drumlin/transforms/requirements/Requirement.h"
#include "mlir/IR/BuiltinOps.h"

#include <span>

namespace drumlin {

// Returns the requirements stated in the program: the strings of the module's attribute
// `drumlin.require`, and the clauses of single operations, in their attribute of that name or in
// `drumlin_require` of their `mhlo.frontend_attributes` (where JAX puts metadata).
Result<std::vector<Requirement>> requirementsOf(mlir::ModuleOp module,
                                                std::span<const plan::ProgramOperation> operations);

// Checks all requirements about kernels, on a module between the phases layout (for GPUs: select)
// and schedule. `operations` are the program's operations before any phase. RequirementUnmet names
// the operation, the clause, what was found, and the nearest decisions; RequirementUnused names a
// pattern that matches no operation.
Status checkKernelRequirements(std::span<const Requirement> requirements, mlir::ModuleOp module,
                               std::span<const plan::ProgramOperation> operations,
                               const Ledger &ledger);

// Checks the requirements about the program's memory, on a module after the phase buffers.
Status checkMemoryRequirements(std::span<const Requirement> requirements, mlir::ModuleOp module);

} // namespace drumlin
