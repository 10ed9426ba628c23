// Solves tridiagonal systems by Gaussian elimination with partial pivoting, scaled by rows, as in
// LAPACK's xLAGTF. The back substitution keeps pivots away from zero, as in xLAGTS with JOB = -1.
// Both follow JAX's variant (jaxlib/tridiagonal_solve_perturbed.h), in which all right-hand sides
// share the pivots.
#include "drumlin/runtime/calls/JaxCalls.h"
#include "drumlin/runtime/calls/MatrixCall.h"

#include <algorithm>
#include <cmath>
#include <complex>
#include <limits>

namespace drumlin {

namespace {
template <typename T> class TridiagonalSystem {
public:
  using Real = decltype(std::abs(T()));

  TridiagonalSystem(int64_t n, int64_t k) : n(n), k(k), pivots(n), above(n), second(n), row(k) {}

  void solve(const T *lower, const T *middle, const T *upper, const T *b, T *x) {
    if (n == 0) {
      return;
    }
    rhs = x;
    std::copy_n(b, n * k, x);
    eliminate(lower, middle, upper);
    Real perturbation = std::numeric_limits<Real>::epsilon() * largest();
    for (int64_t i = n - 1; i >= 0; --i) {
      substitute(i, perturbation);
    }
  }

private:
  T &at(int64_t i, int64_t j) { return rhs[j * n + i]; }

  // Computes U, which has a second diagonal above the pivots where rows were swapped, and L^-1 P b.
  void eliminate(const T *lower, const T *middle, const T *upper) {
    auto right = [&](int64_t i) { return i + 1 < n ? upper[i] : T(0); };
    pivots[0] = middle[0];
    above[0] = right(0);
    first = std::max(std::abs(pivots[0]), std::abs(above[0]));
    Real scale = std::abs(pivots[0]) + std::abs(above[0]);
    for (int64_t i = 0; i + 1 < n; ++i) {
      T below = lower[i + 1], diagonal = middle[i + 1], beside = right(i + 1);
      Real nextScale = std::abs(below) + std::abs(diagonal) + std::abs(beside);
      second[i] = 0;
      if (below == T(0)) {
        setRow(i + 1, diagonal, beside);
        scale = nextScale;
        continue;
      }
      Real own = pivots[i] == T(0) ? Real(0) : std::abs(pivots[i]) / scale;
      if (std::abs(below) / nextScale <= own) {
        T factor = below / pivots[i];
        setRow(i + 1, diagonal - factor * above[i], beside);
        subtract(i + 1, factor, i);
        scale = nextScale;
        continue;
      }
      T factor = pivots[i] / below;
      setRow(i + 1, above[i] - factor * diagonal, -factor * beside);
      setRow(i, below, diagonal);
      second[i] = beside;
      for (int64_t j = 0; j < k; ++j) {
        std::swap(at(i, j), at(i + 1, j));
      }
      subtract(i + 1, factor, i);
      scale = std::abs(pivots[i + 1]) + std::abs(above[i + 1]);
    }
  }

  void setRow(int64_t i, T pivot, T next) {
    pivots[i] = pivot;
    above[i] = next;
  }
  void subtract(int64_t from, T factor, int64_t i) {
    for (int64_t j = 0; j < k; ++j) {
      at(from, j) -= factor * at(i, j);
    }
  }

  // Returns the largest magnitude in U and in the first row of the matrix. Like JAX, leaves out the
  // row of U before the last one.
  Real largest() const {
    Real found = std::abs(pivots[n - 1]);
    for (int64_t i = 0; i + 2 < n; ++i) {
      found = std::max({found, std::abs(pivots[i]), std::abs(above[i]), std::abs(second[i])});
    }
    return std::max(found, first);
  }

  void substitute(int64_t i, Real perturbation) {
    Real most = 0;
    for (int64_t j = 0; j < k; ++j) {
      row[j] = at(i, j);
      if (i + 1 < n) {
        row[j] -= above[i] * at(i + 1, j);
      }
      if (i + 2 < n) {
        row[j] -= second[i] * at(i + 2, j);
      }
      most = std::max(most, std::abs(row[j]));
    }
    T pivot = perturbed(pivots[i], perturbation, most);
    for (int64_t j = 0; j < k; ++j) {
      at(i, j) = n == 1 ? row[j] / pivot : row[j] * (T(1) / pivot);
    }
  }

  // Perturbs a pivot until neither 1 / pivot nor the row's quotient overflows; `most` is the row's
  // largest element.
  T perturbed(T pivot, Real perturbation, Real most) {
    // The smallest normal number, whose reciprocal doesn't overflow.
    constexpr Real smallest = std::numeric_limits<Real>::min(), big = 1 / smallest;
    Real step = std::copysign(std::max(perturbation, smallest), std::real(pivot));
    while (std::abs(pivot) < 1) {
      Real size = std::abs(pivot);
      if (size < smallest && size != 0 && most * smallest <= size) {
        for (T &element : row) {
          element *= big;
        }
        return pivot * big;
      }
      if (size >= smallest && most <= size * big) {
        return pivot;
      }
      pivot += step;
      step *= 2;
    }
    return pivot;
  }

  int64_t n, k;
  std::vector<T> pivots, above, second, row;
  T *rhs = nullptr;
  Real first = 0; // the largest element of the matrix's first row
};
} // namespace

template <typename T> static Status solve(MatrixCall &call, ElementType type) {
  Result<std::pair<int, int>> shape = call.matrix(3);
  if (!shape) {
    return shape.error();
  }
  auto [n, k] = *shape;
  ExpectedValue diagonal{type, {n}}, matrix{type, {n, k}};
  if (Status status = call.expect({diagonal, diagonal, diagonal, matrix}, {matrix}); !status) {
    return status;
  }
  TridiagonalSystem<T> system(n, k);
  for (int64_t i = 0; i < call.batch(); ++i) {
    system.solve(call.operand<T>(0, i), call.operand<T>(1, i), call.operand<T>(2, i),
                 call.operand<T>(3, i), call.result<T>(0, i));
  }
  return Done();
}

static Status solveByType(MatrixCall &matrices) {
  ElementType type = matrices.operandType(0).value_or(ElementType::I1);
  switch (type) {
  case ElementType::F32:
    return solve<float>(matrices, type);
  case ElementType::F64:
    return solve<double>(matrices, type);
  case ElementType::C64:
    return solve<std::complex<float>>(matrices, type);
  case ElementType::C128:
    return solve<std::complex<double>>(matrices, type);
  default:
    return matrices.fail("operand 0 isn't of `f32`, `f64`, `complex<f32>` or `complex<f64>`");
  }
}

Status solveTridiagonal(const HostCall &call, HostBuffers operands, HostBuffers results,
                        const HostRun &run) {
  return MatrixCall::run(solveByType, call, operands, results, run.pool);
}

} // namespace drumlin
