// Linear systems and factorizations by LAPACK, compared with their mathematical definitions.
#include "TestRoutines.h"

using namespace drumlin;

template <typename T> class LapackFactorizations : public testing::Test {
protected:
  static std::string target(const std::string &routine) {
    return "lapack_" + std::string(1, Numbers<T>::letter) + routine + "_ffi";
  }
  static std::string orthogonal(const char *routine) {
    return target((Numbers<T>::isComplex ? "un" : "or") + std::string(routine));
  }

  std::vector<Matrix<T>> matrices(size_t batch, int64_t rows, int64_t columns) {
    std::vector<Matrix<T>> made;
    for (size_t i = 0; i < batch; ++i) {
      made.push_back(random.template matrix<T>(rows, columns));
    }
    return made;
  }
  // Returns the reflectors of `a` [m, n] and their factors.
  TestCall factored(const std::vector<Matrix<T>> &a, MemoryOrder order) {
    TestCall call(target("geqrf"), order);
    int64_t m = a[0].rows, n = a[0].columns;
    call.operand(a).template result<T>(a.size(), {m, n});
    call.template result<T>(a.size(), {std::min(m, n)}).runWell();
    return call;
  }

  Random random;
};
using Types = testing::Types<float, double, std::complex<float>, std::complex<double>>;
TYPED_TEST_SUITE(LapackFactorizations, Types);

static constexpr MemoryOrder orders[] = {MemoryOrder::ColumnMajor, MemoryOrder::RowMajor,
                                         MemoryOrder::BatchLast};
static constexpr std::pair<int64_t, int64_t> shapes[] = {{0, 0}, {0, 3}, {3, 0}, {1, 1},  {1, 4},
                                                         {4, 1}, {7, 3}, {3, 7}, {40, 33}};

TYPED_TEST(LapackFactorizations, Cholesky) {
  using T = TypeParam;
  for (MemoryOrder order : orders) {
    for (int64_t n : {0, 1, 2, 5, 40}) {
      for (char triangle : {'L', 'U'}) {
        std::vector<Matrix<T>> a;
        for (int i = 0; i < 4; ++i) {
          a.push_back(this->random.template positiveDefinite<T>(n));
        }
        TestCall call(this->target("potrf"), order);
        call.operand(a).letter("uplo", triangle).template result<T>(4, {n, n});
        call.template result<int>(4, {}).alias(0, 0).runWell();
        for (size_t i = 0; i < 4; ++i) {
          EXPECT_EQ(call.info(1, i), 0);
          Matrix<T> made = call.matrix<T>(0, i);
          Matrix<T> factor = triangle == 'L' ? lower(made) : adjoint(upper(made));
          expectNear(factor * adjoint(factor), a[i], "l l*");
        }
      }
    }
  }
}

// One matrix of the batch isn't positive definite: its INFO is the order of the first leading minor
// that isn't positive, and all other matrices are factored.
TYPED_TEST(LapackFactorizations, CholeskyOfIndefiniteMatrix) {
  using T = TypeParam;
  std::vector<Matrix<T>> a(3, identity<T>(4, 4));
  a[1](2, 2) = -1;
  TestCall call(this->target("potrf"));
  call.operand(a).letter("uplo", 'L').template result<T>(3, {4, 4}).template result<int>(3, {});
  call.runWell();
  EXPECT_EQ(call.info(1, 0), 0);
  EXPECT_EQ(call.info(1, 1), 3);
  EXPECT_EQ(call.info(1, 2), 0);
  expectNear(call.matrix<T>(0, 2), a[2], "the identity's factor");
}

TYPED_TEST(LapackFactorizations, LU) {
  using T = TypeParam;
  for (MemoryOrder order : orders) {
    for (auto [m, n] : shapes) {
      std::vector<Matrix<T>> a = this->matrices(6, m, n);
      int64_t k = std::min(m, n);
      TestCall call(this->target("getrf"), order);
      call.operand(a).template result<T>(6, {m, n}).template result<int>(6, {k});
      call.template result<int>(6, {}).runWell();
      for (size_t i = 0; i < 6; ++i) {
        EXPECT_EQ(call.info(2, i), 0);
        Matrix<T> made = call.matrix<T>(0, i), permuted = a[i];
        std::vector<int> pivots = call.vector<int>(1, i);
        for (int64_t row = 0; row < k; ++row) {
          int64_t other = pivots[static_cast<size_t>(row)] - 1;
          for (int64_t j = 0; j < n; ++j) {
            std::swap(permuted(row, j), permuted(other, j));
          }
        }
        expectNear(unitLower(made, m, k) * upper(made, k, n), permuted, "l u");
      }
    }
  }
}

// INFO is the index of U's first zero pivot, from 1, and the factors are computed nevertheless.
TYPED_TEST(LapackFactorizations, LUOfSingularMatrix) {
  using T = TypeParam;
  Matrix<T> a = identity<T>(3, 3);
  a(1, 1) = 0;
  TestCall call(this->target("getrf"));
  call.operand(std::vector{a}).template result<T>(1, {3, 3}).template result<int>(1, {3});
  call.template result<int>(1, {}).runWell();
  EXPECT_EQ(call.info(2), 2);
  expectNear(call.matrix<T>(0), a, "l and u");
}

TYPED_TEST(LapackFactorizations, QR) {
  using T = TypeParam;
  for (MemoryOrder order : orders) {
    for (auto [m, n] : shapes) {
      std::vector<Matrix<T>> a = this->matrices(4, m, n);
      int64_t k = std::min(m, n);
      TestCall factored = this->factored(a, order);
      // The first columns of q, one for each reflector.
      std::vector<Matrix<T>> reflectors;
      std::vector<std::vector<T>> factors;
      for (size_t i = 0; i < 4; ++i) {
        reflectors.push_back(
            part(factored.matrix<T>(0, i), m, k, [](int64_t, int64_t) { return true; }));
        factors.push_back(factored.vector<T>(1, i));
      }
      TestCall call(this->orthogonal("gqr"), order);
      call.operand(reflectors).vectors(factors).template result<T>(4, {m, k}).runWell();
      for (size_t i = 0; i < 4; ++i) {
        Matrix<T> q = call.matrix<T>(0, i);
        expectOrthonormalColumns(q);
        expectNear(q * upper(factored.matrix<T>(0, i), k, n), a[i], "q r");
      }
    }
  }
}

// `Qr` and `ProductOfElementaryHouseholderReflectors` have no layouts, and take any element type.
TYPED_TEST(LapackFactorizations, QROfAnyType) {
  using T = TypeParam;
  Matrix<T> a = this->random.template matrix<T>(6, 4);
  TestCall factored("Qr", MemoryOrder::RowMajor);
  factored.operand(std::vector{a}).template result<T>(1, {6, 4}).template result<T>(1, {4});
  factored.call.operands[0].layout.clear();
  factored.runWell();
  TestCall call("ProductOfElementaryHouseholderReflectors", MemoryOrder::RowMajor);
  call.operand(std::vector{factored.matrix<T>(0)}).template vectors<T>({factored.vector<T>(1)});
  call.template result<T>(1, {6, 4}).runWell();
  expectOrthonormalColumns(call.matrix<T>(0));
  expectNear(call.matrix<T>(0) * upper(factored.matrix<T>(0), 4, 4), a, "q r");
}

TYPED_TEST(LapackFactorizations, PivotedQR) {
  using T = TypeParam;
  for (MemoryOrder order : orders) {
    for (auto [m, n] : shapes) {
      std::vector<Matrix<T>> a = this->matrices(4, m, n);
      int64_t k = std::min(m, n);
      std::vector<std::vector<int>> isFree(4, std::vector<int>(static_cast<size_t>(n)));
      TestCall factored(this->target("geqp3"), order);
      factored.operand(a).vectors(isFree).template result<T>(4, {m, n});
      factored.template result<int>(4, {n}).template result<T>(4, {k}).runWell();
      for (size_t i = 0; i < 4; ++i) {
        Matrix<T> made = factored.matrix<T>(0, i);
        TestCall call(this->orthogonal("gqr"), order);
        call.operand(std::vector{part(made, m, k, [](int64_t, int64_t) { return true; })});
        call.template vectors<T>({factored.vector<T>(2, i)})
            .template result<T>(1, {m, k})
            .runWell();
        Matrix<T> permuted(m, n);
        std::vector<int> columns = factored.vector<int>(1, i);
        for (int64_t j = 0; j < n && m > 0; ++j) {
          for (int64_t row = 0; row < m; ++row) {
            permuted(row, j) = a[i](row, columns[static_cast<size_t>(j)] - 1);
          }
        }
        expectNear(call.matrix<T>(0) * upper(made, k, n), permuted, "q r");
        for (int64_t j = 1; j < k; ++j) {
          EXPECT_LE(std::abs(made(j, j)), std::abs(made(j - 1, j - 1)) * Real<T>(1.0001));
        }
      }
    }
  }
}

// Compares products by reflectors with products by q itself.
TYPED_TEST(LapackFactorizations, ProductsWithQ) {
  using T = TypeParam;
  for (MemoryOrder order : orders) {
    for (int64_t k : {0, 1, 3, 5}) {
      int64_t m = 5, other = 4;
      TestCall factored = this->factored(this->matrices(1, m, k), order);
      Matrix<T> square =
          part(factored.matrix<T>(0), m, m, [&](int64_t, int64_t j) { return j < k; });
      TestCall whole(this->orthogonal("gqr"), order);
      whole.operand(std::vector{square}).template vectors<T>({factored.vector<T>(1)});
      whole.template result<T>(1, {m, m}).runWell();
      for (bool isLeft : {false, true}) {
        for (bool isTransposed : {false, true}) {
          Matrix<T> c = isLeft ? this->random.template matrix<T>(m, other)
                               : this->random.template matrix<T>(other, m);
          TestCall call(this->orthogonal("mqr"), order);
          call.operand(std::vector{factored.matrix<T>(0)});
          call.template vectors<T>({factored.vector<T>(1)}).operand(std::vector{c});
          call.boolean("left", isLeft).boolean("transpose", isTransposed);
          call.template result<T>(1, {c.rows, c.columns}).runWell();
          Matrix<T> q = isTransposed ? adjoint(whole.matrix<T>(0)) : whole.matrix<T>(0);
          expectNear(call.matrix<T>(0), isLeft ? q * c : c * q, "q c");
        }
      }
    }
  }
}

TYPED_TEST(LapackFactorizations, TriangularSolve) {
  using T = TypeParam;
  for (MemoryOrder order : orders) {
    for (const char *letters :
         {"LLNN", "LUNN", "LLTN", "LLCU", "LUTU", "RLNN", "RUNU", "RLTN", "RUCN", "RLCU"}) {
      for (auto [m, n] : {std::pair<int64_t, int64_t>{1, 1}, {5, 3}, {3, 0}, {0, 2}}) {
        int64_t size = letters[0] == 'L' ? m : n;
        std::vector<Matrix<T>> a = this->matrices(4, size, size), b = this->matrices(4, m, n);
        for (Matrix<T> &matrix : a) {
          for (int64_t i = 0; i < size; ++i) {
            matrix(i, i) += T(10);
          }
        }
        TestCall call(this->target("trsm"), order);
        call.operand(a).operand(b).letter("side", letters[0]).letter("uplo", letters[1]);
        call.letter("trans_x", letters[2]).letter("diag", letters[3]);
        call.template result<T>(4, {m, n}).alias(0, 1).runWell();
        for (size_t i = 0; i < 4; ++i) {
          Matrix<T> triangle = letters[1] == 'L' ? lower(a[i]) : upper(a[i]);
          for (int64_t j = 0; letters[3] == 'U' && j < size; ++j) {
            triangle(j, j) = 1;
          }
          triangle = letters[2] == 'N'   ? triangle
                     : letters[2] == 'T' ? transpose(triangle)
                                         : adjoint(triangle);
          Matrix<T> x = call.matrix<T>(0, i);
          // The error bound depends on a and x, not on b.
          double bound =
              10.0 * 5 * std::numeric_limits<Real<T>>::epsilon() * norm(triangle) * norm(x);
          Matrix<T> product = letters[0] == 'L' ? triangle * x : x * triangle;
          for (size_t j = 0; j < product.elements.size(); ++j) {
            EXPECT_LE(std::abs(product.elements[j] - b[i].elements[j]), bound) << letters;
          }
        }
      }
    }
  }
}

// Tests the third operand that older versions of JAX pass, by which b is multiplied.
TYPED_TEST(LapackFactorizations, TriangularSolveWithFactor) {
  using T = TypeParam;
  TestCall call(this->target("trsm"));
  call.operand(std::vector{identity<T>(2, 2), identity<T>(2, 2), identity<T>(2, 2)});
  std::vector<Matrix<T>> b = this->matrices(3, 2, 2);
  call.operand(b).template vectors<T>({std::vector<T>{T(2)}});
  call.call.operands[2].shape.clear();
  call.call.operands[2].layout.clear();
  call.letter("side", 'L').letter("uplo", 'L').letter("trans_x", 'N').letter("diag", 'N');
  call.template result<T>(3, {2, 2}).runWell();
  for (size_t i = 0; i < 3; ++i) {
    EXPECT_EQ(call.matrix<T>(0, i)(1, 0), T(2) * b[i](1, 0));
  }
}

TYPED_TEST(LapackFactorizations, TridiagonalSolve) {
  using T = TypeParam;
  for (MemoryOrder order : orders) {
    for (int64_t n : {0, 1, 2, 6}) {
      std::vector<std::vector<T>> below, middle, above;
      for (size_t i = 0; i < 4; ++i) {
        below.push_back(this->random.template matrix<T>(1, n).elements);
        middle.push_back(this->random.template matrix<T>(1, n).elements);
        above.push_back(this->random.template matrix<T>(1, n).elements);
        for (T &element : middle.back()) {
          element += T(5);
        }
      }
      std::vector<Matrix<T>> b = this->matrices(4, n, 3);
      TestCall call(this->target("gtsv"), order);
      call.vectors(below).vectors(middle).vectors(above).operand(b);
      call.template result<T>(4, {n}).template result<T>(4, {n}).template result<T>(4, {n});
      call.template result<T>(4, {n, 3}).template result<int>(4, {});
      call.alias(0, 0).alias(1, 1).alias(2, 2).alias(3, 3).runWell();
      for (size_t i = 0; i < 4; ++i) {
        EXPECT_EQ(call.info(4, i), 0);
        Matrix<T> a(n, n);
        for (int64_t row = 0; row < n; ++row) {
          auto place = static_cast<size_t>(row);
          a(row, row) = middle[i][place];
          if (row > 0) {
            a(row, row - 1) = below[i][place];
          }
          if (row + 1 < n) {
            a(row, row + 1) = above[i][place];
          }
        }
        expectNear(a * call.matrix<T>(3, i), b[i], "a x");
      }
    }
  }
}

TYPED_TEST(LapackFactorizations, TridiagonalSolveOfSingularMatrix) {
  using T = TypeParam;
  TestCall call(this->target("gtsv"));
  std::vector<std::vector<T>> zeros = {{0, 0, 0}};
  call.vectors(zeros).vectors(std::vector<std::vector<T>>{{1, 0, 1}}).vectors(zeros);
  call.operand(std::vector{identity<T>(3, 1)});
  call.template result<T>(1, {3}).template result<T>(1, {3}).template result<T>(1, {3});
  call.template result<T>(1, {3, 1}).template result<int>(1, {}).runWell();
  EXPECT_EQ(call.info(4), 2);
}
