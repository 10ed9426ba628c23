// Costs of a program with symbolic sizes, as expressions over its symbols.
#pragma once

#include "drumlin/ir/costs/ProgramCost.h"

namespace drumlin {

// Maximum degree of the polynomials that counts are fitted to.
inline constexpr int symbolicDegree = 4;

// Adds symbolic counts to the program's costs; does nothing if sizes are static. Costs are computed
// at enough sizes to determine a polynomial of degree `symbolicDegree` (Newton's interpolation on a
// simplex of points), and at two more sizes, where the polynomial must agree with them.
void addSymbolicCosts(mlir::ModuleOp module, PlanCost &costs);

} // namespace drumlin
