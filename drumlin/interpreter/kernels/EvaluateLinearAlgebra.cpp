#include "drumlin/interpreter/kernels/EvaluateLinearAlgebra.h"
#include "drumlin/interpreter/kernels/Elements.h"

#include <cmath>

namespace drumlin::interpreter {

template <typename C> static C conjugate(C value) {
  if constexpr (isComplexValue<C>) {
    return std::conj(value);
  } else {
    return value;
  }
}

template <typename C> static auto realPart(C value) {
  if constexpr (isComplexValue<C>) {
    return value.real();
  } else {
    return value;
  }
}

// Calls `fn` with the type in which elements are computed; only types with division are supported.
template <typename Fn>
static Result<Tensor> withField(const char *operation, ElementType type, Fn fn) {
  if (isFloat(type)) {
    return fn.template operator()<long double>();
  }
  if (isComplex(type)) {
    return fn.template operator()<std::complex<long double>>();
  }
  return unsupportedElementType(operation, type);
}

// One square matrix of a batch, row-major.
template <typename C> struct Matrix {
  C *values;
  int64_t size;
  C &operator()(int64_t row, int64_t column) const { return values[row * size + column]; }
};

//===-- cholesky ------------------------------------------------------------------------------===//

// Factorizes column by column; `at(i, j)` accesses an element of the lower factor.
template <typename C, typename At> static bool factorize(int64_t n, const At &at) {
  for (int64_t j = 0; j < n; ++j) {
    auto pivot = realPart(at(j, j));
    for (int64_t k = 0; k < j; ++k) {
      pivot -= realPart(at(j, k) * conjugate(at(j, k)));
    }
    if (!(pivot > 0)) {
      return false;
    }
    pivot = std::sqrt(pivot);
    at(j, j) = C(pivot);
    for (int64_t i = j + 1; i < n; ++i) {
      C sum = at(i, j);
      for (int64_t k = 0; k < j; ++k) {
        sum -= at(i, k) * conjugate(at(j, k));
      }
      at(i, j) = sum / C(pivot);
    }
  }
  return true;
}

template <typename C> static void factorizeMatrix(Matrix<C> matrix, bool lower) {
  int64_t n = matrix.size;
  // For the upper factor, factorizes the transposed matrix, a^T = L L^H, whose lower triangle is
  // the upper triangle of `a`. Then U = L^T satisfies a = U^H U.
  bool definite = factorize<C>(
      n, [&](int64_t i, int64_t j) -> C & { return lower ? matrix(i, j) : matrix(j, i); });
  for (int64_t i = 0; i < n; ++i) {
    for (int64_t j = 0; j < n; ++j) {
      bool outside = lower ? j > i : j < i;
      if (!definite) {
        matrix(i, j) = C(std::numeric_limits<long double>::quiet_NaN());
      } else if (outside) {
        matrix(i, j) = C(0);
      }
    }
  }
}

Result<Tensor> cholesky(const Tensor &a, bool lower, const KernelOptions &options) {
  return withField("cholesky", a.type(), [&]<typename C>() -> Result<Tensor> {
    Result<Tensor> result = allocate(a.type(), a.shape(), options);
    Status fits = checkWorkspace(a.elements(), sizeof(C), options);
    if (!result || !fits) {
      return result ? Result<Tensor>(fits.error()) : result;
    }
    auto values = decodeAll<C>(a);
    int64_t n = a.dim(a.rank() - 1);
    for (int64_t first = 0; first < a.elements(); first += n * n) {
      factorizeMatrix<C>({values.get() + first, n}, lower);
    }
    storeRun<C>(a.type(), values.get(), result->data(), a.elements());
    return result;
  });
}

//===-- triangular_solve ----------------------------------------------------------------------===//

// The matrix op(a). Its rows are solved from the first to the last if it is lower triangular, else
// from the last to the first.
template <typename C> struct TriangularMatrix {
  Matrix<C> matrix;
  bool lower; // whether op(a) is lower triangular
  bool transposed;
  bool conjugated;
  bool unitDiagonal;
  C operator()(int64_t row, int64_t column) const {
    C value = transposed ? matrix(column, row) : matrix(row, column);
    return conjugated ? conjugate(value) : value;
  }
};

// Solves one column of x: x[i] = (b[i] - sum over the solved j of a[i, j] x[j]) / a[i, i]. `at(i)`
// holds b[i] at first and x[i] at the end.
template <typename C, typename At>
static void substitute(const TriangularMatrix<C> &a, const At &at) {
  int64_t n = a.matrix.size;
  for (int64_t step = 0; step < n; ++step) {
    int64_t i = a.lower ? step : n - 1 - step;
    C sum = at(i);
    for (int64_t solved = 0; solved < step; ++solved) {
      int64_t j = a.lower ? solved : n - 1 - solved;
      sum -= a(i, j) * at(j);
    }
    at(i) = a.unitDiagonal ? sum : sum / a(i, i);
  }
}

Result<Tensor> triangularSolve(const Tensor &a, const Tensor &b, bool leftSide, bool lower,
                               bool unitDiagonal, MatrixTranspose transpose,
                               const KernelOptions &options) {
  return withField("triangular_solve", a.type(), [&]<typename C>() -> Result<Tensor> {
    Result<Tensor> result = allocate(b.type(), b.shape(), options);
    Status fits = checkWorkspace(a.elements() + b.elements(), sizeof(C), options);
    if (!result || !fits) {
      return result ? Result<Tensor>(fits.error()) : result;
    }
    auto coefficients = decodeAll<C>(a);
    auto values = decodeAll<C>(b);
    int64_t n = a.dim(a.rank() - 1), rows = b.dim(b.rank() - 2), columns = b.dim(b.rank() - 1);
    int64_t batches = n == 0 || b.elements() == 0 ? 0 : a.elements() / (n * n);
    // x op(a) = b is solved as op(a)^T x^T = b^T.
    bool transposed = (transpose != MatrixTranspose::None) == leftSide;
    bool conjugated = transpose == MatrixTranspose::Adjoint;
    for (int64_t batch = 0; batch < batches; ++batch) {
      TriangularMatrix<C> matrix{{coefficients.get() + batch * n * n, n},
                                 lower != transposed,
                                 transposed,
                                 conjugated,
                                 unitDiagonal};
      C *block = values.get() + batch * rows * columns;
      for (int64_t line = 0; line < (leftSide ? columns : rows); ++line) {
        substitute(matrix, [&](int64_t i) -> C & {
          return leftSide ? block[i * columns + line] : block[line * columns + i];
        });
      }
    }
    storeRun<C>(b.type(), values.get(), result->data(), b.elements());
    return result;
  });
}

} // namespace drumlin::interpreter
