// Eigenvalues, singular values and reductions by LAPACK, compared with their mathematical
// definitions.
#include "TestRoutines.h"

#include <algorithm>

using namespace drumlin;

template <typename T> class LapackSpectra : public testing::Test {
protected:
  static std::string target(const std::string &routine) {
    return "lapack_" + std::string(1, Numbers<T>::letter) + routine + "_ffi";
  }
  static std::string symmetric(const char *routine) {
    return target((Numbers<T>::isComplex ? "he" : "sy") + std::string(routine));
  }
  std::vector<Matrix<T>> matrices(size_t batch, int64_t rows, int64_t columns) {
    std::vector<Matrix<T>> made;
    for (size_t i = 0; i < batch; ++i) {
      made.push_back(random.template matrix<T>(rows, columns));
    }
    return made;
  }

  Random random;
};
using Types = testing::Types<float, double, std::complex<float>, std::complex<double>>;
TYPED_TEST_SUITE(LapackSpectra, Types);

static constexpr MemoryOrder orders[] = {MemoryOrder::ColumnMajor, MemoryOrder::RowMajor,
                                         MemoryOrder::BatchLast};

// Returns I - factor v v*.
template <typename T> static Matrix<T> reflection(const Matrix<T> &v, T factor) {
  Matrix<T> made = identity<T>(v.rows, v.rows), outer = v * adjoint(v);
  for (size_t i = 0; i < made.elements.size(); ++i) {
    made.elements[i] -= factor * outer.elements[i];
  }
  return made;
}

TYPED_TEST(LapackSpectra, SymmetricEigenvalues) {
  using T = TypeParam;
  for (MemoryOrder order : orders) {
    for (int64_t n : {0, 1, 2, 7, 40}) {
      for (const char *letters : {"VL", "VU", "NL"}) {
        std::vector<Matrix<T>> a;
        for (int i = 0; i < 4; ++i) {
          a.push_back(this->random.template hermitian<T>(n));
        }
        TestCall call(this->symmetric("evd"), order);
        call.operand(a).letter("mode", letters[0]).letter("uplo", letters[1]).alias(0, 0);
        call.template result<T>(4, {n, n}).template result<Real<T>>(4, {n});
        call.template result<int>(4, {}).runWell();
        for (size_t i = 0; i < 4; ++i) {
          EXPECT_EQ(call.info(2, i), 0);
          std::vector<Real<T>> values = call.template vector<Real<T>>(1, i);
          EXPECT_TRUE(std::is_sorted(values.begin(), values.end()));
          if (letters[0] == 'V') {
            Matrix<T> vectors = call.matrix<T>(0, i);
            expectOrthonormalColumns(vectors);
            expectNear(vectors * diagonal<T>(values) * adjoint(vectors), a[i], "v d v*");
          }
        }
      }
    }
  }
}

TYPED_TEST(LapackSpectra, TridiagonalReduction) {
  using T = TypeParam;
  for (MemoryOrder order : orders) {
    for (int64_t n : {1, 2, 6, 40}) {
      for (char triangle : {'L', 'U'}) {
        std::vector<Matrix<T>> a;
        for (int i = 0; i < 4; ++i) {
          a.push_back(this->random.template hermitian<T>(n));
        }
        TestCall call(this->symmetric("trd"), order);
        call.operand(a).letter("uplo", triangle).template result<T>(4, {n, n});
        call.template result<Real<T>>(4, {n}).template result<Real<T>>(4, {n - 1});
        call.template result<T>(4, {n - 1}).template result<int>(4, {}).runWell();
        for (size_t i = 0; i < 4; ++i) {
          EXPECT_EQ(call.info(4, i), 0);
          std::vector<Real<T>> middle = call.template vector<Real<T>>(1, i),
                               beside = call.template vector<Real<T>>(2, i);
          std::vector<T> factors = call.vector<T>(3, i);
          Matrix<T> made = call.matrix<T>(0, i), t = diagonal<T>(middle), q = identity<T>(n, n);
          for (int64_t j = 0; j + 1 < n; ++j) {
            auto place = static_cast<size_t>(j);
            t(j, j + 1) = t(j + 1, j) = T(beside[place]);
            Matrix<T> v(n, 1);
            v(triangle == 'L' ? j + 1 : j, 0) = 1;
            for (int64_t row = 0; row < n; ++row) {
              if (triangle == 'L' ? row > j + 1 : row < j) {
                v(row, 0) = triangle == 'L' ? made(row, j) : made(row, j + 1);
              }
            }
            Matrix<T> h = reflection(v, factors[place]);
            q = triangle == 'L' ? q * h : h * q;
          }
          expectNear(q * t * adjoint(q), a[i], "q t q*");
        }
      }
    }
  }
}

TYPED_TEST(LapackSpectra, HessenbergReduction) {
  using T = TypeParam;
  for (MemoryOrder order : orders) {
    for (int64_t n : {0, 1, 2, 6, 40}) {
      std::vector<Matrix<T>> a = this->matrices(4, n, n);
      TestCall call(this->target("gehrd"), order);
      call.operand(a).number("low", 1).number("high", static_cast<int>(n));
      int64_t below = std::max<int64_t>(n - 1, 0);
      call.template result<T>(4, {n, n}).template result<T>(4, {below});
      call.template result<int>(4, {}).alias(0, 0).runWell();
      for (size_t i = 0; i < 4; ++i) {
        EXPECT_EQ(call.info(2, i), 0);
        Matrix<T> made = call.matrix<T>(0, i), q = identity<T>(n, n);
        std::vector<T> factors = call.vector<T>(1, i);
        for (int64_t j = 0; j + 1 < n; ++j) {
          Matrix<T> v(n, 1);
          v(j + 1, 0) = 1;
          for (int64_t row = j + 2; row < n; ++row) {
            v(row, 0) = made(row, j);
          }
          q = q * reflection(v, factors[static_cast<size_t>(j)]);
        }
        Matrix<T> h = part(made, n, n, [](int64_t row, int64_t j) { return row <= j + 1; });
        expectNear(q * h * adjoint(q), a[i], "q h q*");
      }
    }
  }
}

// Elements outside of the requested rows stay unchanged.
TYPED_TEST(LapackSpectra, HessenbergReductionOfSomeRows) {
  using T = TypeParam;
  Matrix<T> a = this->random.template matrix<T>(5, 5);
  for (int64_t j : {0, 1, 2, 3}) {
    a(4, j) = 0;
  }
  TestCall call(this->target("gehrd"));
  call.operand(std::vector{a}).number("low", 1).number("high", 4);
  call.template result<T>(1, {5, 5}).template result<T>(1, {4}).template result<int>(1, {});
  call.runWell();
  EXPECT_EQ(call.vector<T>(1)[3], T(0));
  EXPECT_EQ(call.matrix<T>(0)(4, 4), a(4, 4));
}

template <typename T> struct Eigen {
  std::vector<std::complex<Real<T>>> values;
  Matrix<std::complex<Real<T>>> left, right;
};

template <typename T> static Eigen<T> eigen(const TestCall &call, size_t index) {
  using Complex = std::complex<Real<T>>;
  Eigen<T> made;
  size_t vectors = 1;
  if constexpr (Numbers<T>::isComplex) {
    made.values = call.vector<T>(0, index);
  } else {
    vectors = 2;
    std::vector<T> real = call.vector<T>(0, index), imaginary = call.vector<T>(1, index);
    for (size_t i = 0; i < real.size(); ++i) {
      made.values.push_back({real[i], imaginary[i]});
    }
  }
  made.left = call.matrix<Complex>(vectors, index);
  made.right = call.matrix<Complex>(vectors + 1, index);
  return made;
}

template <typename T>
static TestCall eigenCall(const std::string &target, MemoryOrder order,
                          const std::vector<Matrix<T>> &a, const char *letters) {
  TestCall call(target, order);
  int64_t n = a[0].rows;
  call.operand(a).letter("compute_left", letters[0]).letter("compute_right", letters[1]);
  call.template result<T>(a.size(), {n});
  if (!Numbers<T>::isComplex) {
    call.template result<T>(a.size(), {n});
  }
  call.template result<std::complex<Real<T>>>(a.size(), {n, n});
  call.template result<std::complex<Real<T>>>(a.size(), {n, n});
  call.template result<int>(a.size(), {}).runWell();
  return call;
}

TYPED_TEST(LapackSpectra, Eigenvalues) {
  using T = TypeParam;
  using Complex = std::complex<Real<T>>;
  for (MemoryOrder order : orders) {
    for (int64_t n : {0, 1, 2, 7, 40}) {
      for (const char *letters : {"VV", "VN", "NV", "NN"}) {
        std::vector<Matrix<T>> a = this->matrices(4, n, n);
        TestCall call = eigenCall(this->target("geev"), order, a, letters);
        for (size_t i = 0; i < 4; ++i) {
          EXPECT_EQ(call.info(Numbers<T>::isComplex ? 3 : 4, i), 0);
          Eigen<T> made = eigen<T>(call, i);
          Matrix<Complex> whole(n, n);
          std::copy(a[i].elements.begin(), a[i].elements.end(), whole.elements.begin());
          double bound = 20 * static_cast<double>(std::max<int64_t>(n, 1)) *
                         std::numeric_limits<Real<T>>::epsilon() * norm(whole);
          Matrix<Complex> values = diagonal<Complex>(made.values);
          auto near = [&](const Matrix<Complex> &x, const Matrix<Complex> &y, const char *what) {
            for (size_t j = 0; j < x.elements.size(); ++j) {
              ASSERT_LE(std::abs(x.elements[j] - y.elements[j]), bound) << what;
            }
          };
          if (letters[1] == 'V') {
            near(whole * made.right, made.right * values, "a v");
            EXPECT_NEAR(norm(made.right), std::sqrt(static_cast<double>(n)), 1e-3);
          } else {
            EXPECT_EQ(norm(made.right), 0);
          }
          if (letters[0] == 'V') {
            near(adjoint(made.left) * whole, values * adjoint(made.left), "u* a");
            EXPECT_NEAR(norm(made.left), std::sqrt(static_cast<double>(n)), 1e-3);
          } else {
            EXPECT_EQ(norm(made.left), 0);
          }
          Complex trace = 0, sum = 0;
          for (int64_t j = 0; j < n; ++j) {
            trace += whole(j, j);
            sum += made.values[static_cast<size_t>(j)];
          }
          EXPECT_LE(std::abs(trace - sum), bound);
        }
      }
    }
  }
}

// INFO reports non-finite input, and the results keep no earlier contents of their memory.
TYPED_TEST(LapackSpectra, EigenvaluesOfInfinitiesAndNaN) {
  using T = TypeParam;
  std::vector<Matrix<T>> a = this->matrices(3, 3, 3);
  a[0](1, 2) = std::numeric_limits<Real<T>>::quiet_NaN();
  a[2](0, 1) = std::numeric_limits<Real<T>>::infinity();
  TestCall call = eigenCall(this->target("geev"), MemoryOrder::ColumnMajor, a, "VV");
  size_t info = Numbers<T>::isComplex ? 3 : 4;
  EXPECT_EQ(call.info(info, 0), -4);
  EXPECT_EQ(call.info(info, 1), 0);
  EXPECT_EQ(call.info(info, 2), -4);
  Eigen<T> failed = eigen<T>(call, 0);
  EXPECT_EQ(norm(failed.left), 0);
  EXPECT_EQ(norm(failed.right), 0);
  EXPECT_EQ(norm(diagonal<std::complex<Real<T>>>(failed.values)), 0);
}

TYPED_TEST(LapackSpectra, Schur) {
  using T = TypeParam;
  for (MemoryOrder order : orders) {
    for (int64_t n : {0, 1, 2, 7, 40}) {
      for (char mode : {'V', 'N'}) {
        std::vector<Matrix<T>> a = this->matrices(4, n, n);
        TestCall call(this->target("gees"), order);
        call.operand(a).letter("mode", mode).letter("sort", 'N').alias(0, 0);
        call.template result<T>(4, {n, n}).template result<T>(4, {n, n}).template result<T>(4, {n});
        if (!Numbers<T>::isComplex) {
          call.template result<T>(4, {n});
        }
        call.template result<int>(4, {}).template result<int>(4, {}).runWell();
        for (size_t i = 0; i < 4; ++i) {
          EXPECT_EQ(call.info(call.call.results.size() - 2, i), 0);
          EXPECT_EQ(call.info(call.call.results.size() - 1, i), 0);
          Matrix<T> t = call.matrix<T>(0, i), v = call.matrix<T>(1, i);
          for (int64_t row = 0; row < n; ++row) {
            for (int64_t j = 0; j + (Numbers<T>::isComplex ? 0 : 1) < row; ++j) {
              EXPECT_EQ(t(row, j), T(0));
            }
          }
          if (mode == 'V') {
            expectOrthonormalColumns(v);
            expectNear(v * t * adjoint(v), a[i], "v t v*");
          } else {
            EXPECT_EQ(norm(v), 0);
          }
        }
      }
    }
  }
}

TYPED_TEST(LapackSpectra, SingularValues) {
  using T = TypeParam;
  std::pair<int64_t, int64_t> shapes[] = {{0, 0}, {0, 2}, {3, 0}, {1, 1},   {1, 4},
                                          {5, 1}, {7, 3}, {3, 7}, {40, 33}, {9, 60}};
  for (MemoryOrder order : orders) {
    for (auto [m, n] : shapes) {
      for (const char *routine : {"gesdd", "gesvd"}) {
        for (char mode : {'A', 'S', 'N'}) {
          std::vector<Matrix<T>> a = this->matrices(4, m, n);
          int64_t k = std::min(m, n), left = mode == 'S' ? k : m, right = mode == 'S' ? k : n;
          TestCall call(this->target(routine), order);
          call.operand(a).letter("mode", mode).alias(0, 0).template result<T>(4, {m, n});
          call.template result<Real<T>>(4, {k}).template result<T>(4, {m, left});
          call.template result<T>(4, {right, n}).template result<int>(4, {}).runWell();
          for (size_t i = 0; i < 4; ++i) {
            EXPECT_EQ(call.info(4, i), 0);
            std::vector<Real<T>> values = call.template vector<Real<T>>(1, i);
            EXPECT_TRUE(std::is_sorted(values.rbegin(), values.rend()));
            EXPECT_NEAR(norm(diagonal<double>(values)), norm(a[i]), 1e-4 * (norm(a[i]) + 1));
            Matrix<T> u = call.matrix<T>(2, i), v = call.matrix<T>(3, i);
            expectOrthonormalColumns(u);
            expectOrthonormalColumns(adjoint(v));
            if (mode != 'N') {
              Matrix<T> s(left, right);
              for (int64_t j = 0; j < k; ++j) {
                s(j, j) = T(values[static_cast<size_t>(j)]);
              }
              expectNear(u * s * v, a[i], "u s v*");
            }
          }
        }
      }
    }
  }
}

// If no singular vectors are computed, the results for them may still have the shape of reduced
// vectors (one for each singular value).
TYPED_TEST(LapackSpectra, SingularValuesWithoutVectors) {
  using T = TypeParam;
  TestCall call(this->target("gesdd"));
  call.operand(this->matrices(1, 5, 3)).letter("mode", 'N').template result<T>(1, {5, 3});
  call.template result<Real<T>>(1, {3}).template result<T>(1, {5, 3}).template result<T>(1, {3, 3});
  call.template result<int>(1, {}).runWell();
  EXPECT_EQ(call.info(4), 0);
}

// Given a NaN or an infinity, each routine returns, and reports it by INFO or by NaN results.
TYPED_TEST(LapackSpectra, InfinitiesAndNaN) {
  using T = TypeParam;
  for (Real<T> value :
       {std::numeric_limits<Real<T>>::quiet_NaN(), std::numeric_limits<Real<T>>::infinity()}) {
    for (int64_t n : {2, 5, 30, 90}) {
      Matrix<T> a = this->random.template hermitian<T>(n);
      a(1, 0) = a(0, 1) = value;
      auto expectSeen = [&](TestCall &call, size_t info) {
        call.operand(std::vector{a}).template result<int>(1, {}).runWell();
        bool isSeen = call.info(info) != 0;
        for (T element : call.matrix<T>(0).elements) {
          isSeen |= !std::isfinite(std::abs(element));
        }
        EXPECT_TRUE(isSeen) << call.call.target << " of " << n;
      };
      TestCall symmetric(this->symmetric("evd"));
      symmetric.letter("mode", 'V').letter("uplo", 'L').template result<T>(1, {n, n});
      expectSeen(symmetric.template result<Real<T>>(1, {n}), 2);
      TestCall schur(this->target("gees"));
      schur.letter("mode", 'V').letter("sort", 'N').template result<T>(1, {n, n});
      schur.template result<T>(1, {n, n}).template result<T>(1, {n});
      if (!Numbers<T>::isComplex) {
        schur.template result<T>(1, {n});
      }
      expectSeen(schur.template result<int>(1, {}), schur.call.results.size());
      TestCall hessenberg(this->target("gehrd"));
      hessenberg.number("low", 1).number("high", static_cast<int>(n));
      hessenberg.template result<T>(1, {n, n});
      expectSeen(hessenberg.template result<T>(1, {n - 1}), 2);
      for (const char *routine : {"gesdd", "gesvd"}) {
        TestCall singular(this->target(routine));
        singular.letter("mode", 'S').template result<T>(1, {n, n});
        singular.template result<Real<T>>(1, {n}).template result<T>(1, {n, n});
        expectSeen(singular.template result<T>(1, {n, n}), 4);
      }
    }
  }
}
