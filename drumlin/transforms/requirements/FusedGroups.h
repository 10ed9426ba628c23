// `MUST_FUSE`, which frameworks say of operations: those with one text are computed by one kernel.
#pragma once

#include "drumlin/ir/plan/Origin.h"
#include "drumlin/support/Diagnostics.h"
#include "drumlin/transforms/Ledger.h"
#include "mlir/IR/BuiltinOps.h"

#include <span>

namespace drumlin {

// Whether any operation of a program says it.
bool hasFusedGroups(std::span<const plan::ProgramOperation> operations);

// Checks a module between the phases layout and schedule. `operations` are those of the program
// before any phase; what was simplified away asks for nothing, and constants may be anywhere.
// RequirementUnmet names an operation that another kernel computes, and the decisions that are
// nearest to it.
Status checkFusedGroups(mlir::ModuleOp module, std::span<const plan::ProgramOperation> operations,
                        const Ledger &ledger);

} // namespace drumlin
