// The problem of a triangular kernel: a Cholesky factorization, or solves with triangular matrices.
//
// Both eliminate rows, by the same algorithm on panels. A panel has `panelLanes()` columns with all
// of their rows, and is stored row by row. In each row, the real parts of complex numbers precede
// the imaginary parts. A solve computes the x for which M x = b, where M is op(a) or its transpose.
// The lanes are the columns of b, or its rows if the program's equation is x op(a) = b. A
// factorization computes the upper factor U of a = U* U in place. Its lanes are the columns of a,
// and M is U*.
#pragma once

#include "drumlin/ir/plan/PlanDialect.h"
#include "drumlin/ir/sizes/Size.h"
#include "drumlin/ir/stablehlo/StablehloDialect.h"
#include "drumlin/support/ElementType.h"

#include <string>

namespace drumlin {

struct TriangularProblem {
  mlir::Operation *op = nullptr; // a cholesky or triangular_solve; null: the region has neither
  ElementType element = ElementType::F32;
  ElementType part = ElementType::F32; // type of real and imaginary parts, or of real elements
  Size matrices = 1;
  Size size = 0;        // rows of a matrix
  Size lanes = 0;       // number of computed columns: of x, or of a factorization's matrix
  bool isSized = false; // whether sizes are known only at run time
  // Whether M is lower triangular, so that rows are eliminated from first to last. For a
  // factorization: whether the lower triangle of a is read, and the adjoint of U is stored.
  bool lower = false;
  // For a solve: whether M[i, j] is a[j, i].
  bool transposed = false;
  bool conjugated = false;
  bool unitDiagonal = false;
  bool lanesAreRows = false; // whether the lanes are rows of b

  explicit TriangularProblem(mlir::Block &region);
  explicit TriangularProblem(mlir::Operation *op);
  bool factorizes() const;
  int64_t parts() const { return isComplex(element) ? 2 : 1; }
  // Returns the number of multiply-adds per matrix. A multiply-add of complex numbers counts once.
  double multiplyAdds() const;

  // Returns the number of columns of a panel, which is a multiple of the vector length of every
  // target.
  int64_t panelLanes() const { return part == ElementType::F64 ? 16 : 32; }
  Size panels() const; // number of panels that contain all lanes
};

// Returns the number of tasks of one step, each with `tile` matrices or panels; 0 if there is
// nothing to compute.
Size tasksOf(plan::TriangularScheduleAttr schedule, const TriangularProblem &problem);

// Returns why a schedule doesn't fit the problem; empty if it fits.
std::string findScheduleFault(plan::TriangularScheduleAttr schedule,
                              const TriangularProblem &problem);

} // namespace drumlin
