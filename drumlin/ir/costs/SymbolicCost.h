// Costs of a program whose sizes the run tells, as expressions over its symbols.
#pragma once

#include "drumlin/ir/costs/ProgramCost.h"

namespace drumlin {

// Of a higher degree no count is found.
inline constexpr int symbolicDegree = 4;

// Adds them to the program's costs; nothing where sizes are static. The program is priced at as
// many sizes as determine a polynomial of that degree (Newton's interpolation on a simplex of
// points), and at two more, at which the polynomial has to be right as well.
void addSymbolicCosts(mlir::ModuleOp module, PlanCost &costs);

} // namespace drumlin
