// A triangular kernel's problem: Cholesky factorizations, or solves with triangular matrices.
//
// Both eliminate rows, and are one algorithm on memory in panels. A panel is `panelLanes()` columns
// wide and holds all rows of them, row behind row, the parts of complex numbers one behind the
// other. With M = op(a) or its transpose, a solve computes x of M x = b: the lanes are columns of b
// (rows, where b stands left of M). A factorization computes the upper factor U of U* U = a in
// place, its lanes are a's columns, and M is U*.
#pragma once

#include "drumlin/ir/plan/PlanDialect.h"
#include "drumlin/ir/sizes/Size.h"
#include "drumlin/ir/stablehlo/StablehloOps.h"
#include "drumlin/support/ElementType.h"

#include <string>

namespace drumlin {

struct TriangularProblem {
  mlir::Operation *op = nullptr; // a cholesky or triangular_solve; null: the region has none
  ElementType element = ElementType::F32;
  ElementType part = ElementType::F32; // of complex elements; else the element
  Size matrices = 1;
  Size size = 0;        // rows of a matrix
  Size lanes = 0;       // that are solved for: of a factorization its own columns
  bool isSized = false; // of sizes that are known when the program runs
  // M is lower: rows are eliminated from the first to the last. Of a factorization, that a's lower
  // triangle is read, and the factor is stored as its adjoint.
  bool lower = false;
  // Of a solve: M[i, j] is a[j, i].
  bool transposed = false;
  bool conjugated = false;
  bool unitDiagonal = false;
  bool lanesAreRows = false; // of b

  explicit TriangularProblem(mlir::Block &region);
  explicit TriangularProblem(mlir::Operation *op);
  bool factorizes() const;
  int64_t parts() const { return isComplex(element) ? 2 : 1; }
  // Multiplications with an addition each, of numbers as the program has them, for one matrix.
  double multiplyAdds() const;

  // Columns of a panel: a multiple of what vectors hold on any target.
  int64_t panelLanes() const { return part == ElementType::F64 ? 16 : 32; }
  Size panels() const; // of the lanes
};

// Tasks of one step, of `tile` matrices or panels each; none where there is nothing to compute.
Size tasksOf(plan::TriangularScheduleAttr schedule, const TriangularProblem &problem);

// Why a schedule doesn't fit the problem; empty if it fits.
std::string findScheduleFault(plan::TriangularScheduleAttr schedule,
                              const TriangularProblem &problem);

} // namespace drumlin
