// Checks the `MUST_FUSE` attributes that frameworks set: operations whose attributes have equal
// values must be in one kernel.
#pragma once

#include "drumlin/ir/plan/Origin.h"
#include "drumlin/support/Diagnostics.h"
#include "drumlin/transforms/Ledger.h"
#include "mlir/IR/BuiltinOps.h"

#include <span>

namespace drumlin {

// Returns whether any operation of a program has the attribute.
bool hasFusedGroups(std::span<const plan::ProgramOperation> operations);

// Checks a module between the phases layout and schedule. `operations` are the program's operations
// before any phase. Operations that were simplified away require nothing, and constants may be in
// any kernel. RequirementUnmet names an operation that another kernel computes, and the nearest
// decisions.
Status checkFusedGroups(mlir::ModuleOp module, std::span<const plan::ProgramOperation> operations,
                        const Ledger &ledger);

} // namespace drumlin
