// Checks that a plan satisfies its user's requirements.
#pragma once

#include "drumlin/ir/plan/Origin.h"
#include "drumlin/transforms/Ledger.h"
#include "drumlin/transforms/requirements/Requirement.h"
#include "mlir/IR/BuiltinOps.h"

#include <span>

namespace drumlin {

// Returns the requirements stated in the program: the strings of the module's attribute
// `drumlin.require`, and the clauses of single operations. An operation's clauses are in its
// attribute `drumlin.require`, or in `drumlin_require` of its `mhlo.frontend_attributes`, where JAX
// puts metadata.
Result<std::vector<Requirement>> requirementsOf(mlir::ModuleOp module,
                                                std::span<const plan::ProgramOperation> operations);

// Checks all requirements about kernels. The module is after the phase layout (for GPUs: select)
// and before schedule. `operations` are the program's operations before any phase. RequirementUnmet
// names the operation, the clause, what was found, and the nearest decisions. RequirementUnused
// names a pattern that matches no operation.
Status checkKernelRequirements(std::span<const Requirement> requirements, mlir::ModuleOp module,
                               std::span<const plan::ProgramOperation> operations,
                               const Ledger &ledger);

// Checks the requirements about the program's memory, on a module after the phase buffers.
Status checkMemoryRequirements(std::span<const Requirement> requirements, mlir::ModuleOp module);

} // namespace drumlin
