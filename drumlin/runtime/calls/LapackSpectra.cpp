// Eigenvalues, singular values, and the matrix reductions for them. Operands, results and
// attributes are those of JAX's targets with these names (jaxlib/cpu/lapack_kernels.h); routines'
// arguments follow LAPACK Users' Guide, third edition, and the comments in LAPACK 3.11.
#include "drumlin/runtime/calls/LapackCalls.h"
#include "drumlin/runtime/calls/LapackRoutine.h"

#include <algorithm>

namespace drumlin {

template <typename T> static ExpectedValue ofReal(std::initializer_list<int64_t> shape) {
  return {LapackType<T>::real, shape};
}
template <typename T> static ExpectedValue ofComplex(std::initializer_list<int64_t> shape) {
  return {LapackType<T>::complex, shape};
}

static Result<int> squareMatrix(MatrixCall &call) {
  Result<std::pair<int, int>> shape = call.matrix(0);
  if (!shape) {
    return shape.error();
  }
  return shape->first == shape->second ? Result<int>(shape->first)
                                       : call.fail("operand 0 isn't a square matrix");
}

// Checks a workspace size, which routines compute in 32-bit integers without overflow checks.
static Status checkWorkspace(const MatrixCall &call, int64_t size) {
  return size <= std::numeric_limits<int>::max() ? Status(Done())
                                                 : Status(call.fail(workspaceTooLarge));
}

// Whether all values are finite. Zero times an infinity or a NaN is NaN, and so is every sum that
// contains it; zero times a finite value is zero. Uses several sums, so that additions overlap:
// compilers don't reorder them.
template <typename T> static bool isFinite(const T *values, int64_t count) {
  using Real = RealOf<T>;
  constexpr int64_t lanes = 64 / sizeof(Real);
  const auto *reals = reinterpret_cast<const Real *>(values);
  int64_t numbers = count * (isComplexNumber<T> ? 2 : 1), i = 0;
  Real sums[lanes] = {};
  for (; i + lanes <= numbers; i += lanes) {
    for (int64_t lane = 0; lane < lanes; ++lane) {
      sums[lane] += reals[i + lane] * Real(0);
    }
  }
  for (; i < numbers; ++i) {
    sums[0] += reals[i] * Real(0);
  }
  return std::all_of(sums, sums + lanes, [](Real sum) { return sum == Real(0); });
}

// Whether all values of a triangle, which is all that the routine reads, are finite.
template <typename T> static bool isFinite(const T *a, int64_t n, char triangle) {
  for (int64_t j = 0; j < n; ++j) {
    if (!isFinite(a + j * n + (triangle == 'L' ? j : 0), triangle == 'L' ? n - j : j + 1)) {
      return false;
    }
  }
  return true;
}

// INFO for matrices that contain an infinity or a NaN, on which iterative routines may never
// return. JAX uses this number for GEEV. Programs ignore the other results of such a matrix, which
// are zero.
static constexpr int notFinite = -4;

//===-- symmetric and Hermitian matrices ------------------------------------------------------===//

// Computes eigenvalues of a symmetric matrix. (a [n, n]) -> (eigenvectors [n, n], eigenvalues,
// info)
template <typename T> static Status syevd(MatrixCall &call) {
  Result<int> order = squareMatrix(call);
  Result<char> mode = call.letter("mode", "NV"), triangle = call.letter("uplo", "LU");
  Result<LapackRoutine> routine = lapackRoutine<T>("syevd", "heevd");
  if (!order || !routine) {
    return !order ? order.error() : routine.error();
  }
  if (!mode || !triangle) {
    return !mode ? mode.error() : triangle.error();
  }
  int n = *order;
  if (Status status = checkWorkspace(call, 2 * static_cast<int64_t>(n) * n + int64_t(6) * n + 1);
      !status) {
    return status;
  }
  if (Status status =
          call.expect({of<T>({n, n})}, {of<T>({n, n}), ofReal<T>({n}), integers({})}, {{0, 0}});
      !status || call.batch() == 0) {
    return status;
  }
  auto compute = [&](int64_t i, T *work, int size, RealOf<T> *real, int realSize, int *integer,
                     int integerSize) {
    T *a = call.result<T>(0, i);
    RealOf<T> *values = call.result<RealOf<T>>(1, i);
    if constexpr (isComplexNumber<T>) {
      return (*routine)(*mode, *triangle, n, a, leading(n), values, work, size, real, realSize,
                        integer, integerSize);
    } else {
      return (*routine)(*mode, *triangle, n, a, leading(n), values, work, size, integer,
                        integerSize);
    }
  };
  T answer{};
  RealOf<T> realAnswer{};
  int integerAnswer = 0;
  if (Status status =
          checkAsked(call, compute(0, &answer, -1, &realAnswer, -1, &integerAnswer, -1));
      !status) {
    return status;
  }
  Result<Workspace<T>> work = Workspace<T>::allocateAsked(answer);
  Result<Workspace<RealOf<T>>> real = Workspace<RealOf<T>>::allocateAsked(realAnswer);
  Result<Workspace<int>> integer = Workspace<int>::allocate(integerAnswer);
  if (!work || !real || !integer) {
    return !work ? work.error() : !real ? real.error() : integer.error();
  }
  for (int64_t i = 0; i < call.batch(); ++i) {
    if (!isFinite(call.result<T>(0, i), n, *triangle)) {
      std::fill_n(call.result<RealOf<T>>(1, i), n, RealOf<T>());
      *call.result<int>(2, i) = notFinite;
      continue;
    }
    *call.result<int>(2, i) = compute(i, work->data(), work->size(), real->data(), real->size(),
                                      integer->data(), integer->size());
  }
  return Done();
}

// Reduces a symmetric matrix to tridiagonal t. (a [n, n]) -> (t with the reflectors, t's diagonal,
// its off-diagonal, factors, info)
template <typename T> static Status sytrd(MatrixCall &call) {
  Result<int> order = squareMatrix(call);
  Result<char> triangle = call.letter("uplo", "LU");
  Result<LapackRoutine> routine = lapackRoutine<T>("sytrd", "hetrd");
  if (!order || !triangle || !routine) {
    return !order ? order.error() : !triangle ? triangle.error() : routine.error();
  }
  int n = *order, below = std::max(n - 1, 0);
  if (Status status = call.expect(
          {of<T>({n, n})},
          {of<T>({n, n}), ofReal<T>({n}), ofReal<T>({below}), of<T>({below}), integers({})},
          {{0, 0}});
      !status) {
    return status;
  }
  return forEach<T>(
      call,
      [&](int64_t i, T *work, int size) {
        return (*routine)(*triangle, n, call.result<T>(0, i), leading(n),
                          call.result<RealOf<T>>(1, i), call.result<RealOf<T>>(2, i),
                          call.result<T>(3, i), work, size);
      },
      [&](int64_t i, int info) { *call.result<int>(4, i) = info; });
}

//===-- general matrices ----------------------------------------------------------------------===//

// Reduces a matrix to Hessenberg form h. (a [n, n]) -> (h with the reflectors below it, factors,
// info)
template <typename T> static Status gehrd(MatrixCall &call) {
  Result<int> order = squareMatrix(call);
  Result<int> low = call.number("low"), high = call.number("high");
  Result<LapackRoutine> routine = lapackRoutine<T>("gehrd");
  if (!order || !routine) {
    return !order ? order.error() : routine.error();
  }
  if (!low || !high) {
    return !low ? low.error() : high.error();
  }
  int n = *order, below = std::max(n - 1, 0);
  if (Status status =
          call.expect({of<T>({n, n})}, {of<T>({n, n}), of<T>({below}), integers({})}, {{0, 0}});
      !status) {
    return status;
  }
  if (*low < 1 || *low > std::max(n, 1) || *high < std::min(*low, n) || *high > n) {
    return call.fail("the rows from " + std::to_string(*low) + " to " + std::to_string(*high) +
                     " aren't within 1 to " + std::to_string(n));
  }
  return forEach<T>(
      call,
      [&](int64_t i, T *work, int size) {
        return (*routine)(n, *low, *high, call.result<T>(0, i), leading(n), call.result<T>(1, i),
                          work, size);
      },
      [&](int64_t i, int info) { *call.result<int>(2, i) = info; });
}

// Combines eigenvectors. LAPACK stores a conjugate pair's first vector as two columns, its real and
// imaginary parts; the second vector is its conjugate.
template <typename Real>
static void unpackVectors(int n, const Real *imaginary, const Real *packed,
                          std::complex<Real> *vectors) {
  int64_t rows = n;
  for (int64_t j = 0; j < rows; ++j) {
    const Real *first = packed + j * rows, *second = first + rows;
    bool isPair = j + 1 < rows && imaginary[j] != 0 && !std::isnan(imaginary[j]);
    for (int64_t row = 0; row < rows; ++row) {
      std::complex<Real> value(first[row], isPair ? second[row] : 0);
      vectors[j * rows + row] = value;
      if (isPair) {
        vectors[(j + 1) * rows + row] = std::conj(value);
      }
    }
    j += isPair;
  }
}

// Computes eigenvalues of a general matrix. (a [n, n]) -> (eigenvalues' real parts, imaginary
// parts, left and right eigenvectors [n, n], info); complex types have one result for the
// eigenvalues.
template <typename T> static Status geev(MatrixCall &call) {
  using Complex = std::complex<RealOf<T>>;
  Result<int> order = squareMatrix(call);
  Result<char> left = call.letter("compute_left", "NV"), right = call.letter("compute_right", "NV");
  Result<LapackRoutine> routine = lapackRoutine<T>("geev");
  if (!order || !routine) {
    return !order ? order.error() : routine.error();
  }
  if (!left || !right) {
    return !left ? left.error() : right.error();
  }
  int n = *order;
  std::vector<ExpectedValue> results = {of<T>({n}), ofComplex<T>({n, n}), ofComplex<T>({n, n}),
                                        integers({})};
  if (!isComplexNumber<T>) {
    results.insert(results.begin(), of<T>({n}));
  }
  if (Status status = call.expect({of<T>({n, n})}, results); !status) {
    return status;
  }
  size_t firstVectors = isComplexNumber<T> ? 1 : 2;
  int64_t elements = static_cast<int64_t>(n) * n;
  Result<Workspace<T>> copy = Workspace<T>::allocate(elements);
  Result<Workspace<T>> leftVectors = Workspace<T>::allocate(isComplexNumber<T> ? 0 : elements);
  Result<Workspace<T>> rightVectors = Workspace<T>::allocate(isComplexNumber<T> ? 0 : elements);
  Result<Workspace<RealOf<T>>> real = Workspace<RealOf<T>>::allocate(2 * static_cast<int64_t>(n));
  if (!copy || !leftVectors || !rightVectors || !real) {
    return !copy          ? copy.error()
           : !leftVectors ? leftVectors.error()
                          : (!rightVectors ? rightVectors.error() : real.error());
  }
  return forEach<T>(
      call,
      [&](int64_t i, T *work, int size) -> int {
        const T *a = call.operand<T>(0, i);
        if (size != -1) {
          std::copy_n(a, elements, copy->data());
          std::fill_n(call.result<Complex>(firstVectors, i), elements, Complex());
          std::fill_n(call.result<Complex>(firstVectors + 1, i), elements, Complex());
          if (!isFinite(a, elements)) {
            std::fill_n(call.result<T>(0, i), n, T());
            std::fill_n(call.result<T>(firstVectors - 1, i), n, T());
            return notFinite;
          }
        }
        if constexpr (isComplexNumber<T>) {
          return (*routine)(*left, *right, n, copy->data(), leading(n), call.result<T>(0, i),
                            call.result<T>(1, i), leading(n), call.result<T>(2, i), leading(n),
                            work, size, real->data());
        } else {
          return (*routine)(*left, *right, n, copy->data(), leading(n), call.result<T>(0, i),
                            call.result<T>(1, i), leftVectors->data(), leading(n),
                            rightVectors->data(), leading(n), work, size);
        }
      },
      [&](int64_t i, int info) {
        *call.result<int>(firstVectors + 2, i) = info;
        if constexpr (!isComplexNumber<T>) {
          const T *imaginary = call.result<T>(1, i);
          if (info == 0 && *left == 'V') {
            unpackVectors(n, imaginary, leftVectors->data(), call.result<Complex>(2, i));
          }
          if (info == 0 && *right == 'V') {
            unpackVectors(n, imaginary, rightVectors->data(), call.result<Complex>(3, i));
          }
        }
      });
}

// Computes the Schur form a = v t v*. (a [n, n]) -> (t [n, n], v [n, n], eigenvalues' real parts,
// imaginary parts, number selected, info); complex types have one result for the eigenvalues.
template <typename T> static Status gees(MatrixCall &call) {
  Result<int> order = squareMatrix(call);
  // LAPACK sorts by a callback, which a program can't provide.
  Result<char> mode = call.letter("mode", "NV"), sort = call.letter("sort", "N");
  Result<LapackRoutine> routine = lapackRoutine<T>("gees");
  if (!order || !routine) {
    return !order ? order.error() : routine.error();
  }
  if (!mode || !sort) {
    return !mode ? mode.error() : sort.error();
  }
  int n = *order;
  std::vector<ExpectedValue> results = {of<T>({n, n}), of<T>({n, n}), of<T>({n}), integers({}),
                                        integers({})};
  if (!isComplexNumber<T>) {
    results.insert(results.begin() + 2, of<T>({n}));
  }
  if (Status status = call.expect({of<T>({n, n})}, results, {{0, 0}}); !status) {
    return status;
  }
  size_t selected = results.size() - 2;
  int64_t elements = static_cast<int64_t>(n) * n;
  Result<Workspace<RealOf<T>>> real = Workspace<RealOf<T>>::allocate(n);
  if (!real) {
    return real.error();
  }
  return forEach<T>(
      call,
      [&](int64_t i, T *work, int size) -> int {
        T *a = call.result<T>(0, i), *vectors = call.result<T>(1, i),
          *values = call.result<T>(2, i);
        int *count = call.result<int>(selected, i);
        void *select = nullptr, *flags = nullptr; // LAPACK reads them only if it sorts
        if (size != -1) {
          bool areFinite = isFinite(a, elements);
          if (*mode == 'N' || !areFinite) {
            std::fill_n(vectors, elements, T());
          }
          if (!areFinite) {
            *count = 0;
            std::fill_n(values, n, T());
            std::fill_n(call.result<T>(selected - 1, i), n, T());
            return notFinite;
          }
        }
        if constexpr (isComplexNumber<T>) {
          return (*routine)(*mode, *sort, select, n, a, leading(n), count, values, vectors,
                            leading(n), work, size, real->data(), flags);
        } else {
          return (*routine)(*mode, *sort, select, n, a, leading(n), count, values,
                            call.result<T>(3, i), vectors, leading(n), work, size, flags);
        }
      },
      [&](int64_t i, int info) { *call.result<int>(selected + 1, i) = info; });
}

//===-- singular values -----------------------------------------------------------------------===//

// Returns the number of singular vectors on one side: `all` of them, or `least`, one for each
// singular value. If no vectors are computed, returns the number for which the result has room.
static int64_t vectorCount(char mode, int64_t all, int64_t least, std::optional<int64_t> room) {
  return mode == 'A' || (mode == 'N' && room == all) ? all : least;
}

// Sets a matrix to the identity. Used for the singular vectors of a matrix without elements: LAPACK
// doesn't write them, and any orthogonal vectors are valid.
template <typename T> static void setIdentity(T *matrix, int64_t rows, int64_t columns) {
  std::fill_n(matrix, rows * columns, T());
  for (int64_t i = 0; i < std::min(rows, columns); ++i) {
    matrix[i * rows + i] = 1;
  }
}

// Computes singular values. (a [m, n]) -> (overwritten a, singular values, u, v*, info)
template <typename T, typename Compute>
static Status singularValues(MatrixCall &call, Compute compute) {
  Result<std::pair<int, int>> shape = call.matrix(0);
  Result<char> mode = call.letter("mode", "ASN");
  if (!shape || !mode) {
    return !shape ? shape.error() : mode.error();
  }
  auto [rows, columns] = *shape;
  int m = rows, n = columns;
  int least = std::min(m, n);
  int64_t left = vectorCount(*mode, m, least, call.resultDimension(2, 1)),
          right = vectorCount(*mode, n, least, call.resultDimension(3, 2));
  if (Status status = call.expect(
          {of<T>({m, n})},
          {of<T>({m, n}), ofReal<T>({least}), of<T>({m, left}), of<T>({right, n}), integers({})},
          {{0, 0}});
      !status) {
    return status;
  }
  bool areVectorsUnset = *mode == 'N' || least == 0;
  return forEach<T>(
      call,
      [&](int64_t i, T *work, int size) -> int {
        if (size != -1 && areVectorsUnset) {
          setIdentity(call.result<T>(2, i), m, left);
          setIdentity(call.result<T>(3, i), right, n);
        }
        if (size != -1 && !isFinite(call.result<T>(0, i), static_cast<int64_t>(m) * n)) {
          std::fill_n(call.result<RealOf<T>>(1, i), least, RealOf<T>());
          std::fill_n(call.result<T>(2, i), m * left, T());
          std::fill_n(call.result<T>(3, i), right * n, T());
          return notFinite;
        }
        return compute(*mode, m, n, leading(static_cast<int>(right)), i, work, size);
      },
      [&](int64_t i, int info) { *call.result<int>(4, i) = info; });
}

// Returns LRWORK of CGESDD and ZGESDD, the largest that any version requires.
static int64_t realWorkspaceOfGesdd(int64_t m, int64_t n) {
  int64_t least = std::min(m, n), most = std::max(m, n);
  return std::max(
      {7 * least, 5 * least * least + 7 * least, 2 * most * least + 2 * least * least + least});
}

template <typename T> static Status gesdd(MatrixCall &call) {
  Result<std::pair<int, int>> shape = call.matrix(0);
  Result<LapackRoutine> routine = lapackRoutine<T>("gesdd");
  if (!shape || !routine) {
    return !shape ? shape.error() : routine.error();
  }
  int64_t least = std::min(shape->first, shape->second);
  if (Status status = checkWorkspace(call, 4 * least * least + 10 * least); !status) {
    return status;
  }
  Result<Workspace<int>> integer = Workspace<int>::allocate(8 * least);
  Result<Workspace<RealOf<T>>> real = Workspace<RealOf<T>>::allocate(
      isComplexNumber<T> ? realWorkspaceOfGesdd(shape->first, shape->second) : 0);
  if (!integer || !real) {
    return !integer ? integer.error() : real.error();
  }
  return singularValues<T>(
      call, [&](char mode, int m, int n, int rightLeading, int64_t i, T *work, int size) {
        T *a = call.result<T>(0, i), *u = call.result<T>(2, i), *v = call.result<T>(3, i);
        RealOf<T> *values = call.result<RealOf<T>>(1, i);
        if constexpr (isComplexNumber<T>) {
          return (*routine)(mode, m, n, a, leading(m), values, u, leading(m), v, rightLeading, work,
                            size, real->data(), integer->data());
        } else {
          return (*routine)(mode, m, n, a, leading(m), values, u, leading(m), v, rightLeading, work,
                            size, integer->data());
        }
      });
}

template <typename T> static Status gesvd(MatrixCall &call) {
  Result<std::pair<int, int>> shape = call.matrix(0);
  Result<LapackRoutine> routine = lapackRoutine<T>("gesvd");
  if (!shape || !routine) {
    return !shape ? shape.error() : routine.error();
  }
  int64_t least = std::min(shape->first, shape->second);
  if (Status status = checkWorkspace(call, least * least + 10 * least); !status) {
    return status;
  }
  Result<Workspace<RealOf<T>>> real = Workspace<RealOf<T>>::allocate(5 * least);
  if (!real) {
    return real.error();
  }
  return singularValues<T>(
      call, [&](char mode, int m, int n, int rightLeading, int64_t i, T *work, int size) {
        T *a = call.result<T>(0, i), *u = call.result<T>(2, i), *v = call.result<T>(3, i);
        RealOf<T> *values = call.result<RealOf<T>>(1, i);
        if constexpr (isComplexNumber<T>) {
          return (*routine)(mode, mode, m, n, a, leading(m), values, u, leading(m), v, rightLeading,
                            work, size, real->data());
        } else {
          return (*routine)(mode, mode, m, n, a, leading(m), values, u, leading(m), v, rightLeading,
                            work, size);
        }
      });
}

template <typename T> static void add(LapackTargets &targets) {
  char letter = LapackType<T>::letter;
  const char *symmetric = isComplexNumber<T> ? "he" : "sy";
  targets.insert({
      {lapackTarget(letter, std::string(symmetric) + "evd"), syevd<T>},
      {lapackTarget(letter, std::string(symmetric) + "trd"), sytrd<T>},
      {lapackTarget(letter, "gehrd"), gehrd<T>},
      {lapackTarget(letter, "geev"), geev<T>},
      {lapackTarget(letter, "gees"), gees<T>},
      {lapackTarget(letter, "gesdd"), gesdd<T>},
      {lapackTarget(letter, "gesvd"), gesvd<T>},
  });
}

void addLapackSpectra(LapackTargets &targets) {
  add<float>(targets);
  add<double>(targets);
  add<std::complex<float>>(targets);
  add<std::complex<double>>(targets);
}

} // namespace drumlin
