// Linear systems, LU, Cholesky and QR. Operands, results and attributes are those of JAX's targets
// with these names (jaxlib/cpu/lapack_kernels.h); routines' arguments follow LAPACK Users' Guide,
// third edition, and the comments in LAPACK 3.11.
#include "drumlin/runtime/calls/LapackCalls.h"
#include "drumlin/runtime/calls/LapackRoutine.h"

#include <algorithm>

namespace drumlin {

static void ignore(int64_t, int) {}

// Cholesky factorization. (a [n, n]) -> (the factor, with a's other triangle kept, info)
template <typename T> static Status potrf(MatrixCall &call) {
  Result<std::pair<int, int>> shape = call.matrix(0);
  Result<char> triangle = call.letter("uplo", "LU");
  Result<LapackRoutine> routine = lapackRoutine<T>("potrf");
  if (!shape || !triangle || !routine) {
    return !shape ? shape.error() : !triangle ? triangle.error() : routine.error();
  }
  int n = shape->second;
  if (Status status = call.expect({of<T>({n, n})}, {of<T>({n, n}), integers({})}, {{0, 0}});
      !status) {
    return status;
  }
  for (int64_t i = 0; i < call.batch(); ++i) {
    *call.result<int>(1, i) = (*routine)(*triangle, n, call.result<T>(0, i), leading(n));
  }
  return Done();
}

// LU factorization. (a [m, n]) -> (l and u [m, n], pivots counted from 1, info)
template <typename T> static Status getrf(MatrixCall &call) {
  Result<std::pair<int, int>> shape = call.matrix(0);
  Result<LapackRoutine> routine = lapackRoutine<T>("getrf");
  if (!shape || !routine) {
    return !shape ? shape.error() : routine.error();
  }
  auto [m, n] = *shape;
  if (Status status = call.expect(
          {of<T>({m, n})}, {of<T>({m, n}), integers({std::min(m, n)}), integers({})}, {{0, 0}});
      !status) {
    return status;
  }
  for (int64_t i = 0; i < call.batch(); ++i) {
    *call.result<int>(2, i) =
        (*routine)(m, n, call.result<T>(0, i), leading(m), call.result<int>(1, i));
  }
  return Done();
}

// QR factorization. (a [m, n]) -> (r with the reflectors below its diagonal [m, n], their factors)
template <typename T> static Status geqrf(MatrixCall &call) {
  Result<std::pair<int, int>> shape = call.matrix(0);
  Result<LapackRoutine> routine = lapackRoutine<T>("geqrf");
  if (!shape || !routine) {
    return !shape ? shape.error() : routine.error();
  }
  auto [m, n] = *shape;
  if (Status status =
          call.expect({of<T>({m, n})}, {of<T>({m, n}), of<T>({std::min(m, n)})}, {{0, 0}});
      !status) {
    return status;
  }
  return forEach<T>(
      call,
      [&, m = m, n = n](int64_t i, T *work, int size) {
        return (*routine)(m, n, call.result<T>(0, i), leading(m), call.result<T>(1, i), work, size);
      },
      ignore);
}

// QR with column pivoting. (a [m, n], initial pivots: 0 marks a free column) -> (r and reflectors
// as in geqrf [m, n], pivots counted from 1, the reflectors' factors)
template <typename T> static Status geqp3(MatrixCall &call) {
  Result<std::pair<int, int>> shape = call.matrix(0);
  Result<LapackRoutine> routine = lapackRoutine<T>("geqp3");
  if (!shape || !routine) {
    return !shape ? shape.error() : routine.error();
  }
  auto [m, n] = *shape;
  if (Status status =
          call.expect({of<T>({m, n}), integers({n})},
                      {of<T>({m, n}), integers({n}), of<T>({std::min(m, n)})}, {{0, 0}, {1, 1}});
      !status) {
    return status;
  }
  Result<Workspace<RealOf<T>>> real = Workspace<RealOf<T>>::allocate(2 * static_cast<int64_t>(n));
  if (!real) {
    return real.error();
  }
  return forEach<T>(
      call,
      [&, m = m, n = n](int64_t i, T *work, int size) {
        T *a = call.result<T>(0, i), *factors = call.result<T>(2, i);
        int *columns = call.result<int>(1, i);
        if constexpr (isComplexNumber<T>) {
          return (*routine)(m, n, a, leading(m), columns, factors, work, size, real->data());
        } else {
          return (*routine)(m, n, a, leading(m), columns, factors, work, size);
        }
      },
      ignore);
}

// Computes q from its reflectors. (reflectors [m, n], factors [k]) -> (q [m, n])
template <typename T> static Status orgqr(MatrixCall &call) {
  Result<std::pair<int, int>> shape = call.matrix(0);
  Result<int> factors = call.lastDimension(1);
  Result<LapackRoutine> routine = lapackRoutine<T>("orgqr", "ungqr");
  if (!shape || !factors || !routine) {
    return !shape ? shape.error() : !factors ? factors.error() : routine.error();
  }
  auto [m, n] = *shape;
  int k = *factors;
  if (Status status = call.expect({of<T>({m, n}), of<T>({k})}, {of<T>({m, n})}, {{0, 0}});
      !status) {
    return status;
  }
  if (n > m || k > n) {
    return call.fail(std::to_string(k) + " reflectors of length " + std::to_string(m) +
                     " don't make " + std::to_string(n) + " orthogonal columns");
  }
  return forEach<T>(
      call,
      [&, m = m, n = n](int64_t i, T *work, int size) {
        return (*routine)(m, n, k, call.result<T>(0, i), leading(m), call.operand<T>(1, i), work,
                          size);
      },
      ignore);
}

// Multiplies by q. (reflectors, factors [k], c [m, n]) -> (q c or c q, with q optionally transposed
// and conjugated)
template <typename T> static Status ormqr(MatrixCall &call) {
  Result<std::pair<int, int>> reflectors = call.matrix(0), shape = call.matrix(2);
  Result<int> factors = call.lastDimension(1);
  Result<bool> isLeft = call.boolean("left"), isTransposed = call.boolean("transpose");
  Result<LapackRoutine> routine = lapackRoutine<T>("ormqr", "unmqr");
  if (!reflectors || !shape || !factors) {
    return !reflectors ? reflectors.error() : !shape ? shape.error() : factors.error();
  }
  if (!isLeft || !isTransposed || !routine) {
    return !isLeft ? isLeft.error() : !isTransposed ? isTransposed.error() : routine.error();
  }
  auto [m, n] = *shape;
  int length = *isLeft ? m : n, k = *factors, columns = reflectors->second;
  if (Status status = call.expect({of<T>({length, columns}), of<T>({k}), of<T>({m, n})},
                                  {of<T>({m, n})}, {{2, 0}});
      !status) {
    return status;
  }
  if (k > columns || k > length) {
    return call.fail(std::to_string(k) + " reflectors don't fit in a matrix of " +
                     std::to_string(length) + " times " + std::to_string(columns) + " elements");
  }
  char side = *isLeft ? 'L' : 'R', transposed = isComplexNumber<T> ? 'C' : 'T';
  return forEach<T>(
      call,
      [&, m = m, n = n](int64_t i, T *work, int size) {
        return (*routine)(side, *isTransposed ? transposed : 'N', m, n, k, call.operand<T>(0, i),
                          leading(length), call.operand<T>(1, i), call.result<T>(0, i), leading(m),
                          work, size);
      },
      ignore);
}

// Solves a triangular system. (triangular a, b [m, n]) -> (x with a x = b or x a = b). Older
// versions of JAX pass a third operand, a number by which b is multiplied.
template <typename T> static Status trsm(MatrixCall &call) {
  Result<std::pair<int, int>> shape = call.matrix(1);
  Result<char> side = call.letter("side", "LR"), triangle = call.letter("uplo", "LU"),
               transposed = call.letter("trans_x", "NTC"), diagonal = call.letter("diag", "NU");
  Result<LapackRoutine> routine = lapackRoutine<T>("trsm");
  if (!shape || !routine) {
    return !shape ? shape.error() : routine.error();
  }
  for (const Result<char> *letter : {&side, &triangle, &transposed, &diagonal}) {
    if (!*letter) {
      return letter->error();
    }
  }
  auto [m, n] = *shape;
  int order = *side == 'L' ? m : n;
  std::vector<ExpectedValue> operands = {of<T>({order, order}), of<T>({m, n})};
  bool hasFactor = call.operandCount() == 3;
  if (hasFactor) {
    operands.push_back({LapackType<T>::element, {}, true});
  }
  if (Status status = call.expect(operands, {of<T>({m, n})}, {{1, 0}}); !status) {
    return status;
  }
  T one = 1, *factor = hasFactor ? call.operand<T>(2, 0) : &one;
  for (int64_t i = 0; i < call.batch(); ++i) {
    routine->callWithoutInfo(*side, *triangle, *transposed, *diagonal, m, n, factor,
                             call.operand<T>(0, i), leading(order), call.result<T>(0, i),
                             leading(m));
  }
  return Done();
}

// Solves a tridiagonal system. (lower diagonal, diagonal, upper diagonal [n], b [n, k]) -> (u's
// diagonals, x [n, k], info). The first element of the lower and the last of the upper diagonal are
// unused.
template <typename T> static Status gtsv(MatrixCall &call) {
  Result<std::pair<int, int>> shape = call.matrix(3);
  Result<LapackRoutine> routine = lapackRoutine<T>("gtsv");
  if (!shape || !routine) {
    return !shape ? shape.error() : routine.error();
  }
  auto [n, k] = *shape;
  ExpectedValue diagonal = of<T>({n}), matrix = of<T>({n, k});
  if (Status status = call.expect({diagonal, diagonal, diagonal, matrix},
                                  {diagonal, diagonal, diagonal, matrix, integers({})},
                                  {{0, 0}, {1, 1}, {2, 2}, {3, 3}});
      !status) {
    return status;
  }
  for (int64_t i = 0; i < call.batch(); ++i) {
    *call.result<int>(4, i) =
        (*routine)(n, k, call.result<T>(0, i) + (n > 0 ? 1 : 0), call.result<T>(1, i),
                   call.result<T>(2, i), call.result<T>(3, i), leading(n));
  }
  return Done();
}

template <typename T> static void add(LapackTargets &targets) {
  char letter = LapackType<T>::letter;
  const char *orthogonal = isComplexNumber<T> ? "un" : "or";
  targets.insert({
      {lapackTarget(letter, "potrf"), potrf<T>},
      {lapackTarget(letter, "getrf"), getrf<T>},
      {lapackTarget(letter, "geqrf"), geqrf<T>},
      {lapackTarget(letter, "geqp3"), geqp3<T>},
      {lapackTarget(letter, std::string(orthogonal) + "gqr"), orgqr<T>},
      {lapackTarget(letter, std::string(orthogonal) + "mqr"), ormqr<T>},
      {lapackTarget(letter, "trsm"), trsm<T>},
      {lapackTarget(letter, "gtsv"), gtsv<T>},
  });
}

void addLapackFactorizations(LapackTargets &targets) {
  add<float>(targets);
  add<double>(targets);
  add<std::complex<float>>(targets);
  add<std::complex<double>>(targets);
}

} // namespace drumlin
