// The runtime's LAPACK calls: the list of targets, the errors, and calls from several threads.
#include "TestRoutines.h"

#include "drumlin/runtime/calls/LapackLibrary.h"
#include "drumlin/runtime/calls/Registry.h"
#include "drumlin/runtime/cpu/ThreadPool.h"
#include "drumlin/support/diagnostics/HostCallErrors.h"

#include <cstdlib>
#include <thread>

using namespace drumlin;

// The targets that jaxlib 0.10.2 registers.
TEST(LapackCalls, HasTheTargetsOfJax) {
  for (const char *routine : {"trsm", "getrf", "geqrf", "geqp3", "potrf", "gesdd", "gesvd", "geev",
                              "gees", "gehrd", "gtsv"}) {
    for (char letter : {'s', 'd', 'c', 'z'}) {
      EXPECT_TRUE(findBuiltin(std::string("lapack_") + letter + routine + "_ffi")) << routine;
    }
  }
  for (const char *name :
       {"sorgqr", "dorgqr", "cungqr", "zungqr", "sormqr", "dormqr", "cunmqr", "zunmqr", "ssyevd",
        "dsyevd", "cheevd", "zheevd", "ssytrd", "dsytrd", "chetrd", "zhetrd"}) {
    EXPECT_TRUE(findBuiltin(std::string("lapack_") + name + "_ffi")) << name;
  }
  EXPECT_TRUE(findBuiltin("Qr"));
  EXPECT_TRUE(findBuiltin("ProductOfElementaryHouseholderReflectors"));
  EXPECT_FALSE(findBuiltin("lapack_sungqr_ffi"));
  EXPECT_FALSE(findBuiltin("lapack_sgetrf"));
}

static TestCall cholesky(const Matrix<double> &a) {
  TestCall call("lapack_dpotrf_ffi");
  call.operand(std::vector{a}).letter("uplo", 'L').result<double>(1, {a.rows, a.columns});
  call.result<int>(1, {});
  return call;
}

static void expectRefused(Status status, const std::string &message) {
  ASSERT_FALSE(status);
  EXPECT_EQ(status.error().code, errors::HostCallFailed);
  EXPECT_NE(status.error().message.find(message), std::string::npos) << status.error().message;
}

TEST(LapackCalls, RefusesOtherValues) {
  Matrix<double> a = identity<double>(3, 3);
  TestCall type = cholesky(a);
  type.call.results[0].type = ElementType::F32;
  expectRefused(type.run(), "`@lapack_dpotrf_ffi`: result 0 is `tensor<3x3xf32>`, expected "
                            "`tensor<3x3xf64>`");
  TestCall shape = cholesky(a);
  shape.call.results[1].shape = {2};
  expectRefused(shape.run(), "result 1 is `tensor<2xi32>`, expected `tensor<i32>`");
  TestCall count = cholesky(a);
  count.result<int>(1, {});
  expectRefused(count.run(), "has 1 operands and 3 results, expected 1 and 2");
  TestCall vector("lapack_dpotrf_ffi");
  vector.vectors<double>({std::vector<double>(3)}).letter("uplo", 'L');
  expectRefused(vector.run(), "operand 0 isn't a matrix");
  expectRefused(cholesky(Matrix<double>(3, 2)).run(), "operand 0 is `tensor<3x2xf64>`");
  TestCall integers("Qr");
  integers.operand(std::vector{identity<int>(2, 2)});
  expectRefused(integers.run(), "operand 0 isn't of `f32`");
}

TEST(LapackCalls, RefusesOtherAttributes) {
  TestCall missing = cholesky(identity<double>(3, 3));
  missing.call.attributes.clear();
  expectRefused(missing.run(), "has no attribute `uplo` that is a letter, of 8 bits");
  TestCall other = cholesky(identity<double>(3, 3));
  other.call.attributes.clear();
  other.letter("uplo", 'X');
  expectRefused(other.run(), "the attribute `uplo` is 88, expected a letter of `LU`");
  TestCall rows("lapack_dgehrd_ffi");
  rows.operand(std::vector{identity<double>(3, 3)}).number("low", 2).number("high", 4);
  rows.result<double>(1, {3, 3}).result<double>(1, {2}).result<int>(1, {});
  expectRefused(rows.run(), "the rows from 2 to 4 aren't within 1 to 3");
  TestCall reflectors("lapack_dorgqr_ffi");
  reflectors.operand(std::vector{Matrix<double>(2, 3)}).vectors<double>({std::vector<double>(2)});
  reflectors.result<double>(1, {2, 3});
  expectRefused(reflectors.run(), "2 reflectors of length 2 don't make 3 orthogonal columns");
}

// Finds the first fast library, whatever other libraries exist; reports why each file is unusable.
TEST(LapackCalls, FindsTheFirstFastLibrary) {
  const char *none = "/nowhere/liblapack.so", *other = "libm.so.6", *fast = "libopenblas.so.0";
  const char *files[] = {none, other, fast, other};
  std::string tried;
  std::unique_ptr<LapackLibrary> found = LapackLibrary::find(files, tried);
  ASSERT_TRUE(found) << tried;
  EXPECT_EQ(found->file(), fast);
  EXPECT_TRUE(found->isFast());
  EXPECT_TRUE(found->routine("dgesdd"));
  EXPECT_FALSE(found->routine("dgesdx"));
  tried.clear();
  EXPECT_FALSE(LapackLibrary::find({files, 2}, tried));
  EXPECT_NE(tried.find(none), std::string::npos);
  EXPECT_NE(tried.find("; `libm.so.6` has no LAPACK routines"), std::string::npos);
}

// LAPACK's integers have 32 bits. These matrices have no elements.
TEST(LapackCalls, RefusesSizesBeyond32Bits) {
  TestCall wide("lapack_dgetrf_ffi");
  wide.operand(std::vector{Matrix<double>(0, 0)});
  wide.call.operands[0].shape = {0, int64_t(1) << 31};
  expectRefused(wide.run(), "matrices of 0 times 2147483648 elements are too large");
  // This workspace's size exceeds 32 bits; nothing is allocated.
  TestCall workspace("lapack_dsyevd_ffi");
  workspace.letter("mode", 'V').letter("uplo", 'L');
  workspace.operand(std::vector{Matrix<double>(0, 0)}).result<double>(1, {0, 0});
  workspace.result<double>(1, {0}).result<int>(1, {});
  workspace.call.operands[0].shape = workspace.call.results[0].shape = {40000, 40000};
  workspace.call.results[1].shape = {40000};
  expectRefused(workspace.run(), "the workspace is too large for LAPACK's integers of 32 bits");
}

// An operand shares memory with a result that isn't computed from it in place.
TEST(LapackCalls, ReadsOperandsBeforeTheyAreOverwritten) {
  Random random;
  Matrix<double> a = random.positiveDefinite<double>(4), b = random.matrix<double>(4, 4);
  auto solve = [&](bool isShared) {
    TestCall call("lapack_dtrsm_ffi");
    call.operand(std::vector{a}).operand(std::vector{b}).result<double>(1, {4, 4});
    call.letter("side", 'L').letter("uplo", 'L').letter("trans_x", 'N').letter("diag", 'N');
    if (isShared) {
      call.alias(0, 0);
    }
    call.runWell();
    return call.matrix<double>(0).elements;
  };
  EXPECT_EQ(solve(true), solve(false));
}

// Compares batches computed in parallel parts with the same batches computed on one thread, for
// each kind of code and every memory order.
TEST(LapackCalls, GivesTheSameInParts) {
  ThreadPool pool(4, 4);
  Random random;
  std::vector<Matrix<float>> a, b;
  std::vector<Matrix<std::complex<double>>> h;
  std::vector<std::vector<float>> diagonal;
  for (int i = 0; i < 26; ++i) {
    a.push_back(random.matrix<float>(9, 9));
    b.push_back(random.matrix<float>(9, 3));
    h.push_back(random.hermitian<std::complex<double>>(8));
    diagonal.push_back(std::vector<float>(9, static_cast<float>(i + 1)));
  }
  a[7](2, 3) = std::numeric_limits<float>::quiet_NaN();
  auto memories = [&](MemoryOrder order, bool inParts, auto describe) {
    auto call = describe(order);
    call.pool = inParts ? &pool : nullptr;
    call.runWell();
    std::vector<std::vector<std::byte>> made;
    for (size_t i = 0; i < call.call.results.size(); ++i) {
      made.push_back(call.memory(i));
    }
    return made;
  };
  auto same = [&](const char *what, auto describe) {
    for (MemoryOrder order :
         {MemoryOrder::ColumnMajor, MemoryOrder::RowMajor, MemoryOrder::BatchLast}) {
      EXPECT_EQ(memories(order, true, describe), memories(order, false, describe)) << what;
    }
  };
  same("eigenvalues", [&](MemoryOrder order) {
    TestCall call("lapack_zheevd_ffi", order);
    call.operand(h).letter("mode", 'V').letter("uplo", 'L');
    call.result<std::complex<double>>(26, {8, 8}).result<double>(26, {8}).result<int>(26, {});
    return call;
  });
  same("eigenvectors", [&](MemoryOrder order) {
    TestCall call("lapack_sgeev_ffi", order);
    call.operand(a).letter("compute_left", 'V').letter("compute_right", 'V');
    call.result<float>(26, {9}).result<float>(26, {9});
    call.result<std::complex<float>>(26, {9, 9}).result<std::complex<float>>(26, {9, 9});
    call.result<int>(26, {});
    return call;
  });
  same("singular values", [&](MemoryOrder order) {
    TestCall call("lapack_sgesdd_ffi", order);
    call.operand(a).letter("mode", 'S');
    call.result<float>(26, {9, 9}).result<float>(26, {9}).result<float>(26, {9, 9});
    call.result<float>(26, {9, 9}).result<int>(26, {});
    return call;
  });
  same("triangular systems", [&](MemoryOrder order) {
    TestCall call("lapack_strsm_ffi", order);
    call.operand(std::vector(26, identity<float>(9, 9))).operand(b);
    call.letter("side", 'L').letter("uplo", 'L').letter("trans_x", 'N').letter("diag", 'N');
    call.result<float>(26, {9, 3});
    return call;
  });
  same("tridiagonal systems", [&](MemoryOrder order) {
    TestCall call("tridiagonal_solve_perturbed_ffi", order);
    call.vectors(diagonal).vectors(diagonal).vectors(diagonal).operand(b);
    call.result<float>(26, {9, 3});
    return call;
  });
}

// Each thread computes the same bits as a single thread, for matrices on which OpenBLAS uses
// several threads.
TEST(LapackCalls, GivesTheSameOnSeveralThreads) {
  Random random;
  std::vector<Matrix<double>> a;
  for (int i = 0; i < 4; ++i) {
    a.push_back(random.positiveDefinite<double>(300));
  }
  auto factor = [](const Matrix<double> &matrix) {
    TestCall call = cholesky(matrix);
    call.runWell();
    EXPECT_EQ(call.info(1), 0);
    return call.memory(0);
  };
  std::vector<std::vector<std::byte>> expected;
  for (const Matrix<double> &matrix : a) {
    expected.push_back(factor(matrix));
  }
  std::vector<std::thread> threads;
  for (size_t i = 0; i < a.size(); ++i) {
    threads.emplace_back([&, i] {
      for (int run = 0; run < 8; ++run) {
        EXPECT_EQ(factor(a[i]), expected[i]);
      }
    });
  }
  for (std::thread &thread : threads) {
    thread.join();
  }
}

// A framework's code for a target; counts its calls.
static int alternativeCalls = 0;
static void registerCholesky() {
  ASSERT_TRUE(registerAlternative(
      "lapack_dpotrf_ffi",
      RuntimeCode([](const HostCall &, HostBuffers, HostBuffers, const HostRun &) {
        ++alternativeCalls;
        return Status(Done());
      })));
}

// Runs in a separate process, since the alternative is registered for the whole process.
static void callBesideAlternative() {
  registerCholesky();
  TestCall small = cholesky(identity<double>(2, 2));
  EXPECT_TRUE(small.runPrepared());
  EXPECT_EQ(small.matrix<double>(0)(1, 1), 1);
  EXPECT_EQ(alternativeCalls, 0);
  ThreadPool pool(2, 2);
  TestCall large = cholesky(identity<double>(512, 512));
  EXPECT_TRUE(large.runPrepared()) << "on one thread";
  EXPECT_EQ(alternativeCalls, 0);
  large.pool = &pool;
  EXPECT_TRUE(large.runPrepared());
  EXPECT_EQ(alternativeCalls, 1) << "its threads share the work on a matrix";
  std::vector<Matrix<double>> matrices(2, identity<double>(512, 512));
  TestCall batch("lapack_dpotrf_ffi");
  batch.operand(matrices).letter("uplo", 'L').result<double>(2, {512, 512}).result<int>(2, {});
  batch.pool = &pool;
  EXPECT_TRUE(batch.runPrepared());
  EXPECT_EQ(alternativeCalls, 1) << "a matrix for each thread";
  TestCall other = cholesky(identity<double>(2, 2));
  other.result<int>(1, {});
  EXPECT_TRUE(other.runPrepared());
  EXPECT_EQ(alternativeCalls, 2) << "as the runtime's own refuses the third result";
  std::exit(testing::Test::HasFailure() ? 1 : 0);
}

static void callWithoutLibrary() {
  setenv("DRUMLIN_LAPACK", "/nowhere/liblapack.so", 1);
  registerCholesky();
  bool isCalled = cholesky(identity<double>(2, 2)).runPrepared() && alternativeCalls == 1;
  std::exit(isCalled ? 0 : 1);
}

TEST(LapackCallsDeathTest, CallsTheFasterOfTwoCodes) {
  GTEST_FLAG_SET(death_test_style, "threadsafe");
  EXPECT_EXIT(callBesideAlternative(), testing::ExitedWithCode(0), "");
  EXPECT_EXIT(callWithoutLibrary(), testing::ExitedWithCode(0), "");
}

TEST(LapackCalls, CallsWhatIsRegisteredInstead) {
  int registered = 0, alternative = 0;
  auto counts = [](int &calls) {
    return RuntimeCode([&calls](const HostCall &, HostBuffers, HostBuffers, const HostRun &) {
      ++calls;
      return Status(Done());
    });
  };
  TestCall call("tests.two_codes");
  EXPECT_EQ(call.runPrepared().error().code, errors::HostCodeMissing);
  ASSERT_TRUE(registerAlternative("tests.two_codes", counts(alternative)));
  EXPECT_TRUE(call.runPrepared());
  EXPECT_EQ(alternative, 1);
  ASSERT_TRUE(registerHostCode("tests.two_codes", counts(registered)));
  EXPECT_TRUE(call.runPrepared());
  EXPECT_EQ(alternative, 1);
  EXPECT_EQ(registered, 1);
}

// Runs in a separate process, since the library is found only once per process.
static void findIn(const std::string &file) {
  setenv("DRUMLIN_LAPACK", file.c_str(), 1);
  Status status = cholesky(identity<double>(2, 2)).run();
  std::fputs(status ? "found" : status.error().str().c_str(), stderr);
  std::exit(status ? 0 : 1);
}

TEST(LapackCallsDeathTest, SaysWhatLibraryIsMissing) {
  GTEST_FLAG_SET(death_test_style, "threadsafe");
  EXPECT_EXIT(findIn("/nowhere/liblapack.so"), testing::ExitedWithCode(1),
              "D6012: no LAPACK at the path in `DRUMLIN_LAPACK`: /nowhere/liblapack.so");
  EXPECT_EXIT(findIn("libz.so.1"), testing::ExitedWithCode(1),
              "`libz.so.1` has no LAPACK routines");
  EXPECT_EXIT(findIn("liblapack.so.3"), testing::ExitedWithCode(0), "found");
  EXPECT_EXIT(findIn(""), testing::ExitedWithCode(0), "found");
}
