// Matrices for tests of linear algebra, and calls of the runtime's code on them.
#pragma once

#include "drumlin/runtime/calls/Builtins.h"
#include "drumlin/runtime/calls/CallPreparation.h"
#include "drumlin/support/diagnostics/HostCallErrors.h"

#include <algorithm>
#include <cmath>
#include <complex>
#include <cstring>
#include <gtest/gtest.h>
#include <limits>

namespace drumlin {

template <typename T> struct Numbers {
  using Real = T;
  static constexpr ElementType type = std::is_same_v<T, float> ? ElementType::F32
                                      : std::is_same_v<T, int> ? ElementType::SI32
                                                               : ElementType::F64;
  static constexpr char letter = std::is_same_v<T, float> ? 's' : 'd';
  static constexpr bool isComplex = false;
};
template <typename T> struct Numbers<std::complex<T>> {
  using Real = T;
  static constexpr ElementType type =
      std::is_same_v<T, float> ? ElementType::C64 : ElementType::C128;
  static constexpr char letter = std::is_same_v<T, float> ? 'c' : 'z';
  static constexpr bool isComplex = true;
};
template <typename T> using Real = typename Numbers<T>::Real;

template <typename T> T conjugate(T value) {
  if constexpr (Numbers<T>::isComplex) {
    return std::conj(value);
  } else {
    return value;
  }
}

template <typename T> struct Matrix {
  int64_t rows = 0, columns = 0;
  std::vector<T> elements; // row-major

  Matrix() = default;
  Matrix(int64_t rows, int64_t columns)
      : rows(rows), columns(columns), elements(static_cast<size_t>(rows * columns)) {}
  T &operator()(int64_t i, int64_t j) { return elements[static_cast<size_t>(i * columns + j)]; }
  T operator()(int64_t i, int64_t j) const {
    return elements[static_cast<size_t>(i * columns + j)];
  }
};

template <typename T> Matrix<T> identity(int64_t rows, int64_t columns) {
  Matrix<T> made(rows, columns);
  for (int64_t i = 0; i < std::min(rows, columns); ++i) {
    made(i, i) = 1;
  }
  return made;
}

template <typename T> Matrix<T> operator*(const Matrix<T> &a, const Matrix<T> &b) {
  Matrix<T> made(a.rows, b.columns);
  for (int64_t i = 0; i < a.rows; ++i) {
    for (int64_t k = 0; k < a.columns; ++k) {
      for (int64_t j = 0; j < b.columns; ++j) {
        made(i, j) += a(i, k) * b(k, j);
      }
    }
  }
  return made;
}

template <typename T> Matrix<T> transpose(const Matrix<T> &a) {
  Matrix<T> made(a.columns, a.rows);
  for (int64_t i = 0; i < a.rows; ++i) {
    for (int64_t j = 0; j < a.columns; ++j) {
      made(j, i) = a(i, j);
    }
  }
  return made;
}

template <typename T> Matrix<T> adjoint(const Matrix<T> &a) {
  Matrix<T> made = transpose(a);
  for (T &element : made.elements) {
    element = conjugate(element);
  }
  return made;
}

// Keeps the elements whose indices satisfy a predicate; all others become zero.
template <typename T, typename Keep>
Matrix<T> part(const Matrix<T> &a, int64_t rows, int64_t columns, Keep keep) {
  Matrix<T> made(rows, columns);
  for (int64_t i = 0; i < rows; ++i) {
    for (int64_t j = 0; j < columns; ++j) {
      made(i, j) = keep(i, j) ? a(i, j) : T();
    }
  }
  return made;
}
template <typename T> Matrix<T> upper(const Matrix<T> &a, int64_t rows, int64_t columns) {
  return part(a, rows, columns, [](int64_t i, int64_t j) { return i <= j; });
}
template <typename T> Matrix<T> upper(const Matrix<T> &a) { return upper(a, a.rows, a.columns); }
template <typename T> Matrix<T> lower(const Matrix<T> &a) {
  return part(a, a.rows, a.columns, [](int64_t i, int64_t j) { return i >= j; });
}
template <typename T> Matrix<T> unitLower(const Matrix<T> &a, int64_t rows, int64_t columns) {
  Matrix<T> made = part(a, rows, columns, [](int64_t i, int64_t j) { return i > j; });
  for (int64_t i = 0; i < std::min(rows, columns); ++i) {
    made(i, i) = 1;
  }
  return made;
}
template <typename T, typename V> Matrix<T> diagonal(const std::vector<V> &values) {
  auto n = static_cast<int64_t>(values.size());
  Matrix<T> made(n, n);
  for (int64_t i = 0; i < n; ++i) {
    made(i, i) = T(values[static_cast<size_t>(i)]);
  }
  return made;
}

template <typename T> double norm(const Matrix<T> &a) {
  double sum = 0;
  for (T element : a.elements) {
    sum += std::norm(std::complex<double>(element));
  }
  return std::sqrt(sum);
}

// Compares by the error bound of backward stable algorithms: a small multiple of the order times
// the rounding error, relative to the norm of the expected values.
template <typename T>
void expectNear(const Matrix<T> &made, const Matrix<T> &expected, const char *what) {
  ASSERT_EQ(made.rows, expected.rows) << what;
  ASSERT_EQ(made.columns, expected.columns) << what;
  Matrix<T> difference = made;
  for (size_t i = 0; i < made.elements.size(); ++i) {
    difference.elements[i] -= expected.elements[i];
  }
  double order = static_cast<double>(std::max({made.rows, made.columns, int64_t(1)}));
  double bound = 10 * order * std::numeric_limits<Real<T>>::epsilon() * norm(expected);
  EXPECT_LE(norm(difference), bound) << what;
}
template <typename T> void expectOrthonormalColumns(const Matrix<T> &q) {
  expectNear(adjoint(q) * q, identity<T>(q.columns, q.columns), "q* q");
}

class Random {
public:
  template <typename T> T number() {
    if constexpr (Numbers<T>::isComplex) {
      Real<T> real = number<Real<T>>();
      return {real, number<Real<T>>()};
    } else {
      // A linear congruential generator (D. Knuth, The Art of Computer Programming, 3.3.4).
      state = state * 6364136223846793005u + 1442695040888963407u;
      return static_cast<T>(static_cast<int>((state >> 33) % 2001) - 1000) / T(500);
    }
  }
  template <typename T> Matrix<T> matrix(int64_t rows, int64_t columns) {
    Matrix<T> made(rows, columns);
    for (T &element : made.elements) {
      element = number<T>();
    }
    return made;
  }
  template <typename T> Matrix<T> hermitian(int64_t n) {
    Matrix<T> a = matrix<T>(n, n), b = adjoint(a);
    for (size_t i = 0; i < a.elements.size(); ++i) {
      a.elements[i] += b.elements[i];
    }
    return a;
  }
  template <typename T> Matrix<T> positiveDefinite(int64_t n) {
    Matrix<T> a = matrix<T>(n, n), made = a * adjoint(a);
    for (int64_t i = 0; i < n; ++i) {
      made(i, i) += T(1);
    }
    return made;
  }

private:
  uint64_t state = 7;
};

// The memory order of operands' and results' dimensions: column-major matrices as in LAPACK,
// row-major, or the batch dimensions last, so that no matrix is contiguous.
enum class MemoryOrder { ColumnMajor, RowMajor, BatchLast };

// One call of the runtime's code on batches of matrices.
class TestCall {
public:
  explicit TestCall(const std::string &target, MemoryOrder order = MemoryOrder::ColumnMajor)
      : order(order) {
    call.interface = HostInterface::TypedFfi;
    call.target = target;
  }

  // Adds an operand: each entry of the batch is a matrix; a batch of one has no batch dimension.
  template <typename T> TestCall &operand(const std::vector<Matrix<T>> &batch) {
    Shape shape = batchShape(batch.size(), {batch[0].rows, batch[0].columns});
    std::vector<T> elements;
    for (const Matrix<T> &matrix : batch) {
      elements.insert(elements.end(), matrix.elements.begin(), matrix.elements.end());
    }
    return value<T>(call.operands, operandMemory, shape, true, elements.data());
  }
  template <typename T> TestCall &vectors(const std::vector<std::vector<T>> &batch) {
    Shape shape = batchShape(batch.size(), {static_cast<int64_t>(batch[0].size())});
    std::vector<T> elements;
    for (const std::vector<T> &vector : batch) {
      elements.insert(elements.end(), vector.begin(), vector.end());
    }
    return value<T>(call.operands, operandMemory, shape, false, elements.data());
  }
  // Adds a result; `shape` follows the batch dimensions.
  template <typename T> TestCall &result(size_t batch, const Shape &shape) {
    return value<T>(call.results, resultMemory, batchShape(batch, shape), shape.size() == 2,
                    nullptr);
  }
  TestCall &letter(const char *name, char letter) {
    return attribute(name, ElementType::UI8, &letter, 1);
  }
  TestCall &boolean(const char *name, bool value) {
    return attribute(name, ElementType::I1, &value, 1);
  }
  TestCall &number(const char *name, int32_t number) {
    return attribute(name, ElementType::SI32, &number, 4);
  }
  // Puts the result in the operand's memory.
  TestCall &alias(size_t result, size_t operand) {
    call.aliases.push_back({result, operand});
    return *this;
  }

  Status run() {
    std::optional<RuntimeCode> code = findBuiltin(call.target);
    if (!code) {
      return diagnose(errors::HostCallFailed, "no code of this name");
    }
    return run([&](HostBuffers operands, HostBuffers results, const HostRun &run) {
      return (*code)(call, operands, results, run);
    });
  }
  // Runs the call as images do: with the code found under its name, which may be builtin or
  // registered.
  Status runPrepared() {
    Result<std::unique_ptr<PreparedCall>> prepared = prepareCall(call, "a test");
    return prepared ? run([&](HostBuffers operands, HostBuffers results, const HostRun &run) {
      return (*prepared)->run(operands, results, run);
    })
                    : Status(prepared.error());
  }
  template <typename Run> Status run(Run run) {
    for (auto [result, operand] : call.aliases) {
      resultMemory[result] = operandMemory[operand];
    }
    std::vector<void *> operands, results;
    for (auto &memory : operandMemory) {
      operands.push_back(memory->data());
    }
    for (auto &memory : resultMemory) {
      results.push_back(memory->data());
    }
    return run(operands, results, {.pool = pool});
  }
  void runWell() {
    Status status = run();
    ASSERT_TRUE(status) << status.error().str();
  }

  template <typename T> Matrix<T> matrix(size_t result, size_t index = 0) const {
    const Shape &shape = call.results[result].shape;
    Matrix<T> made(shape[shape.size() - 2], shape.back());
    copyResult(result, index, made.elements);
    return made;
  }
  template <typename T> std::vector<T> vector(size_t result, size_t index = 0) const {
    std::vector<T> made(static_cast<size_t>(call.results[result].shape.back()));
    copyResult(result, index, made);
    return made;
  }
  int info(size_t result, size_t index = 0) const {
    std::vector<int> made(1);
    copyResult(result, index, made);
    return made[0];
  }
  const std::vector<std::byte> &memory(size_t result) const { return *resultMemory[result]; }

  HostCall call;
  ThreadPool *pool = nullptr; // computes parts of the batch; null: the calling thread does

private:
  using Memory = std::shared_ptr<std::vector<std::byte>>;

  // Splits the batch into two dimensions if its size allows it.
  static Shape batchShape(size_t batch, Shape shape) {
    auto size = static_cast<int64_t>(batch);
    if (size > 1) {
      Shape dimensions = size % 2 == 0 ? Shape{2, size / 2} : Shape{size};
      shape.insert(shape.begin(), dimensions.begin(), dimensions.end());
    }
    return shape;
  }

  DimensionOrder layoutOf(size_t rank, bool isMatrix) const {
    DimensionOrder made = rowMajorOrder(rank);
    if (order == MemoryOrder::ColumnMajor && isMatrix) {
      std::swap(made[rank - 1], made[rank - 2]);
    } else if (order == MemoryOrder::BatchLast) {
      std::reverse(made.begin(), made.end());
    }
    return made;
  }

  template <typename T>
  TestCall &value(std::vector<HostValue> &values, std::vector<Memory> &memories, const Shape &shape,
                  bool isMatrix, const T *elements) {
    HostValue made{Numbers<T>::type, shape, layoutOf(shape.size(), isMatrix)};
    auto bytes = static_cast<size_t>(*byteCount(Numbers<T>::type, shape));
    // Fills results with a pattern that no routine computes.
    memories.push_back(std::make_shared<std::vector<std::byte>>(bytes, std::byte(0x7b)));
    if (elements) {
      permute(reinterpret_cast<const std::byte *>(elements), memories.back()->data(), shape,
              made.layout, sizeof(T));
    }
    values.push_back(std::move(made));
    return *this;
  }

  TestCall &attribute(const char *name, ElementType type, const void *value, size_t size) {
    const auto *bytes = static_cast<const std::byte *>(value);
    call.attributes.push_back(
        {name, HostAttribute::Scalar{type, std::vector<std::byte>(bytes, bytes + size)}});
    return *this;
  }

  template <typename T>
  void copyResult(size_t result, size_t index, std::vector<T> &elements) const {
    const HostValue &value = call.results[result];
    std::vector<std::byte> logical(resultMemory[result]->size());
    permute(resultMemory[result]->data(), logical.data(), physicalShape(value.shape, value.layout),
            inverseOrder(value.layout), sizeof(T));
    if (!elements.empty()) {
      std::memcpy(elements.data(), logical.data() + index * elements.size() * sizeof(T),
                  elements.size() * sizeof(T));
    }
  }

  MemoryOrder order;
  std::vector<Memory> operandMemory, resultMemory;
};

} // namespace drumlin
