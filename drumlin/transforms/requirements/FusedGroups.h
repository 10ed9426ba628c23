// `MUST_FUSE` attributes, which frameworks set: operations with equal text must be in one kernel.
#pragma once

#include "drumlin/ir/plan/Origin.h"
#include "drumlin/support/Diagnostics.h"
#include "drumlin/transforms/Ledger.h"
#include "mlir/IR/BuiltinOps.h"

#include <span>

namespace drumlin {

// Whether any operation of a program has the attribute.
bool hasFusedGroups(std::span<const plan::ProgramOperation> operations);

// Checks a module between the phases layout and schedule. `operations` are the program's operations
// before any phase; simplified-away operations require nothing, and constants may be in any kernel.
// RequirementUnmet names an operation that another kernel computes, and the nearest decisions.
Status checkFusedGroups(mlir::ModuleOp module, std::span<const plan::ProgramOperation> operations,
                        const Ledger &ledger);

} // namespace drumlin
