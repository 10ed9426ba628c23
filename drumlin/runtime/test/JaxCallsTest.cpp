// JAX's own calls: tridiagonal systems that may be singular, and products with sparse matrices.
#include "drumlin/support/diagnostics/HostCallErrors.h"

#include "TestRoutines.h"

using namespace drumlin;

template <typename T> class JaxCalls : public testing::Test {
protected:
  Random random;
};
using Types = testing::Types<float, double, std::complex<float>, std::complex<double>>;
TYPED_TEST_SUITE(JaxCalls, Types);

template <typename T>
static TestCall solved(const std::vector<std::vector<T>> &below,
                       const std::vector<std::vector<T>> &middle,
                       const std::vector<std::vector<T>> &above, const std::vector<Matrix<T>> &b,
                       MemoryOrder order) {
  TestCall call("tridiagonal_solve_perturbed_ffi", order);
  call.vectors(below).vectors(middle).vectors(above).operand(b);
  call.template result<T>(b.size(), {b[0].rows, b[0].columns}).runWell();
  return call;
}

template <typename T>
static Matrix<T> tridiagonal(const std::vector<T> &below, const std::vector<T> &middle,
                             const std::vector<T> &above) {
  Matrix<T> made = diagonal<T>(middle);
  for (int64_t i = 0; i + 1 < made.rows; ++i) {
    made(i + 1, i) = below[static_cast<size_t>(i) + 1];
    made(i, i + 1) = above[static_cast<size_t>(i)];
  }
  return made;
}

// Diagonals of varied magnitude, so that some rows are swapped and some aren't.
TYPED_TEST(JaxCalls, TridiagonalSolve) {
  using T = TypeParam;
  for (MemoryOrder order : {MemoryOrder::ColumnMajor, MemoryOrder::RowMajor}) {
    for (int64_t n : {0, 1, 2, 3, 30}) {
      std::vector<std::vector<T>> diagonals[3];
      std::vector<Matrix<T>> b;
      for (size_t i = 0; i < 4; ++i) {
        for (std::vector<std::vector<T>> &vectors : diagonals) {
          vectors.push_back(this->random.template matrix<T>(1, n).elements);
        }
        b.push_back(this->random.template matrix<T>(n, 3));
      }
      TestCall call = solved(diagonals[0], diagonals[1], diagonals[2], b, order);
      for (size_t i = 0; i < 4; ++i) {
        Matrix<T> a = tridiagonal(diagonals[0][i], diagonals[1][i], diagonals[2][i]);
        Matrix<T> x = call.matrix<T>(0, i), product = a * x;
        double bound = 100 * std::numeric_limits<Real<T>>::epsilon() * norm(a) * norm(x);
        for (size_t j = 0; j < product.elements.size(); ++j) {
          EXPECT_LE(std::abs(product.elements[j] - b[i].elements[j]), bound);
        }
      }
    }
  }
}

// The solution is finite, and parallel to the vector that the matrix maps to zero.
TYPED_TEST(JaxCalls, TridiagonalSolveOfSingularMatrix) {
  using T = TypeParam;
  for (int64_t n : {2, 3, 4, 9}) {
    auto size = static_cast<size_t>(n);
    std::vector<T> beside(size, T(-1)), middle(size, T(2));
    middle.front() = middle.back() = 1;
    TestCall call =
        solved<T>({beside}, {middle}, {beside}, {identity<T>(n, 1)}, MemoryOrder::ColumnMajor);
    Matrix<T> x = call.matrix<T>(0), a = tridiagonal(beside, middle, beside);
    double bound = 1e3 * std::numeric_limits<Real<T>>::epsilon();
    EXPECT_TRUE(std::isfinite(norm(x)));
    EXPECT_LE(norm(a * x), bound * norm(x)) << n;
  }
  for (size_t n : {1, 2}) {
    std::vector<T> zeros(n);
    auto size = static_cast<int64_t>(n);
    TestCall zero =
        solved<T>({zeros}, {zeros}, {zeros}, {identity<T>(size, 1)}, MemoryOrder::ColumnMajor);
    EXPECT_TRUE(std::isfinite(std::abs(zero.matrix<T>(0)(0, 0)))) << n;
  }
}

template <typename T, typename Index>
static TestCall product(const std::vector<T> &elements, const std::vector<Index> &starts,
                        const std::vector<Index> &columns, const Matrix<T> &dense) {
  TestCall call("cpu_csr_sparse_dense_ffi", MemoryOrder::RowMajor);
  call.template vectors<T>({elements}).template vectors<Index>({starts});
  call.template vectors<Index>({columns}).operand(std::vector{dense});
  call.template result<T>(1, {static_cast<int64_t>(starts.size()) - 1, dense.columns});
  return call;
}

TYPED_TEST(JaxCalls, SparseProduct) {
  using T = TypeParam;
  Matrix<T> dense = this->random.template matrix<T>(3, 2), sparse(4, 3);
  sparse(0, 1) = 2;
  sparse(2, 0) = 3;
  sparse(2, 2) = -1;
  sparse(3, 1) = 4;
  TestCall call = product<T, int>({2, 3, -1, 4}, {0, 1, 1, 3, 4}, {1, 0, 2, 1}, dense);
  call.runWell();
  EXPECT_EQ(call.matrix<T>(0).elements, (sparse * dense).elements);
}

TEST(SparseProduct, OfNothing) {
  TestCall call = product<float, int>({}, {0, 0}, {}, Matrix<float>(2, 2));
  call.runWell();
  EXPECT_EQ(norm(call.matrix<float>(0)), 0);
}

// Integer sums wrap around.
TEST(SparseProduct, OfIntegers) {
  Matrix<int> dense = identity<int>(2, 2);
  int most = std::numeric_limits<int>::max();
  TestCall call = product<int, int>({most, most}, {0, 2}, {0, 0}, dense);
  call.runWell();
  EXPECT_EQ(call.matrix<int>(0)(0, 0), -2);
}

static void expectRefused(TestCall call, const std::string &message) {
  Status status = call.run();
  ASSERT_FALSE(status);
  EXPECT_EQ(status.error().code, errors::HostCallFailed);
  EXPECT_NE(status.error().message.find(message), std::string::npos) << status.error().message;
}

TEST(SparseProduct, RefusesPlacesOutside) {
  Matrix<float> dense = identity<float>(2, 2);
  expectRefused(product<float, int>({1}, {0, 1}, {2}, dense), "element 0 is in column 2 of 2");
  expectRefused(product<float, int>({1}, {0, 1}, {-1}, dense), "element 0 is in column -1 of 2");
  expectRefused(product<float, int>({1}, {0, 2}, {1}, dense),
                "row 0 has the elements from 0 to 2 of 1");
  expectRefused(product<float, int>({1}, {1, 0}, {1}, dense), "row 0 has the elements from 1 to 0");
  TestCall few("cpu_csr_sparse_dense_ffi");
  few.operand(std::vector{dense});
  expectRefused(few, "the operands aren't elements");
  TestCall system("tridiagonal_solve_perturbed_ffi");
  expectRefused(system, "operand 0 isn't of `f32`");
}
