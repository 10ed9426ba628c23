// Errors of the interpreter's functions against exact results. docs/numerics.md has the bounds and
// the largest errors; DRUMLIN_NUMERICS_TABLE=FILE writes all errors to a file, as rows of a table.
//
// Operations on types of up to 16 bits must be correctly rounded: for every operand, the result is
// the exact value rounded once. For f32 and f64, errors must be within bounds at the points of
// MeasuredErrors.h. For complex types, this holds for the errors of the real and imaginary parts.
// Suites whose names begin with `Slow` test all points, other suites a share of them.
#include "drumlin/interpreter/kernels/Elements.h"
#include "drumlin/interpreter/kernels/test/numerics/ExactComplex.h"
#include "drumlin/interpreter/kernels/test/numerics/MeasuredErrors.h"

#include <cmath>
#include <cstdlib>
#include <fstream>
#include <gtest/gtest.h>
#include <numbers>

using namespace drumlin;
using namespace drumlin::interpreter;
using namespace drumlin::interpreter::exact;

//===-- bounds --------------------------------------------------------------------------------===//

namespace {
struct Bounds {
  double f32 = 0.51;
  double f64 = 1;
};

// Error bounds. `c64` and `c128` bound the errors of the real and imaginary parts, each in its own
// units in the last place. `whole` bounds the relative error of the complex number, in units of
// 2^-mantissaBits.
struct ComplexBounds {
  double c64 = 0.51;
  double c128 = 1;
  double whole = 1;
};

class Reference {
public:
  explicit Reference(mpfr_prec_t bits = precision) {
    mpfr_inits2(53, a, b, static_cast<mpfr_ptr>(nullptr));
    mpfr_init2(result, bits);
  }
  Reference(const Reference &) = delete;
  Reference &operator=(const Reference &) = delete;
  ~Reference() { mpfr_clears(a, b, result, static_cast<mpfr_ptr>(nullptr)); }
  mpfr_srcptr operator()(Real1 function, double x) {
    mpfr_set_d(a, x, MPFR_RNDN);
    function(result, a);
    return result;
  }
  mpfr_srcptr operator()(Real2 function, double x, double y) {
    mpfr_set_d(a, x, MPFR_RNDN);
    mpfr_set_d(b, y, MPFR_RNDN);
    function(result, a, b);
    return result;
  }

private:
  mpfr_t a, b, result;
};

class ComplexReference {
public:
  ComplexReference() {
    mpc_init2(a, 53);
    mpc_init2(b, 53);
    mpc_init2(result, complexPrecision);
  }
  ComplexReference(const ComplexReference &) = delete;
  ComplexReference &operator=(const ComplexReference &) = delete;
  ~ComplexReference() {
    mpc_clear(a);
    mpc_clear(b);
    mpc_clear(result);
  }
  mpc_srcptr operator()(Complex1 function, std::complex<double> x) {
    mpc_set_d_d(a, x.real(), x.imag(), MPC_RNDNN);
    function(result, a);
    return result;
  }
  mpc_srcptr operator()(Complex2 function, std::complex<double> x, std::complex<double> y) {
    mpc_set_d_d(a, x.real(), x.imag(), MPC_RNDNN);
    mpc_set_d_d(b, y.real(), y.imag(), MPC_RNDNN);
    function(result, a, b);
    return result;
  }

private:
  mpc_t a, b, result;
};
} // namespace

// Operations that IEEE 754 defines must be correctly rounded.
static Bounds boundsOf(UnaryOperation operation) {
  using enum UnaryOperation;
  return operation == Sqrt || operation == Square ? Bounds{0.5, 0.5} : Bounds{};
}
static Bounds boundsOf(BinaryOperation operation) {
  using enum BinaryOperation;
  bool isBasic =
      operation != Atan2 && operation != Power && operation != Polygamma && operation != Zeta;
  return isBasic ? Bounds{0.5, 0.5} : Bounds{};
}

template <typename Operation> static ComplexBounds complexBoundsOf(Operation operation) {
  if constexpr (std::is_same_v<Operation, BinaryOperation>) {
    using enum BinaryOperation;
    // These operations use the plain formula in double, so the real or imaginary part may cancel.
    if (operation == Multiply || operation == Divide || operation == Atan2) {
      return {0.51, wrong, 3};
    }
    // The power is exp(b log a). The larger b log a is, the fewer of its bits are left for its
    // fraction, which determines the digits of the result.
    if (operation == Power) {
      return {0.51, wrong, 1};
    }
  }
  return {};
}

//===-- tensors and reports -------------------------------------------------------------------===//

static Tensor tensorOf(ElementType type, const std::vector<double> &values) {
  Tensor tensor(type, {static_cast<int64_t>(values.size())});
  encodeRun(type, values.data(), tensor.data(), tensor.elements());
  return tensor;
}

static std::vector<double> valuesOf(const Tensor &tensor) {
  std::vector<double> values(static_cast<size_t>(tensor.elements()));
  decodeRun(tensor.type(), tensor.data(), values.data(), tensor.elements());
  return values;
}

static void report(const std::string &name, const std::string &measured) {
  std::printf("%-24s %s\n", name.c_str(), measured.c_str());
  if (const char *path = std::getenv("DRUMLIN_NUMERICS_TABLE")) {
    std::ofstream(path, std::ios::app) << "| `" << name << "` | " << measured << " |\n";
  }
}

static std::string rounded(double ulps) {
  char text[32];
  std::snprintf(text, sizeof(text), "%.4f", ulps);
  return text;
}

//===-- types of 16 bits and fewer ------------------------------------------------------------===//

static std::vector<ElementType> narrowTypes() {
  std::vector<ElementType> types;
  for (size_t i = 0; i < elementTypeCount(); ++i) {
    auto type = static_cast<ElementType>(i);
    if (isFloat(type) && info(type).bits <= 16) {
      types.push_back(type);
    }
  }
  return types;
}

// Returns whether a result is the expected bit pattern. Ignores the sign of a NaN, which is not
// defined; a format without NaN must have zero instead.
static bool isSameNumber(ElementType type, double got, uint64_t pattern, mpfr_srcptr exact) {
  if (mpfr_nan_p(exact) && info(type).specials == FloatSpecials::None) {
    return got == 0 && !std::signbit(got);
  }
  double expected = decode(type, pattern);
  return std::isnan(expected) ? std::isnan(got)
                              : got == expected && std::signbit(got) == std::signbit(expected);
}

namespace {
class Numerics : public testing::TestWithParam<UnaryOperation> {};
class PairNumerics : public testing::TestWithParam<BinaryOperation> {};
class ComplexNumerics : public testing::TestWithParam<UnaryOperation> {};
class ComplexPairNumerics : public testing::TestWithParam<BinaryOperation> {};
using SlowNumerics = Numerics;
using SlowPairNumerics = PairNumerics;
using SlowComplexNumerics = ComplexNumerics;
using SlowComplexPairNumerics = ComplexPairNumerics;
} // namespace

// Checks every `stride`-th bit pattern of every type.
static void checkNarrow(UnaryOperation operation, uint64_t stride) {
  Real1 function = realUnary().at(operation);
  Reference reference;
  for (ElementType type : narrowTypes()) {
    std::vector<double> operands;
    uint64_t step = info(type).bits <= 8 ? 1 : stride;
    for (uint64_t pattern = 0; pattern < uint64_t{1} << info(type).bits; pattern += step) {
      operands.push_back(decode(type, pattern));
    }
    Result<Tensor> result = unary(operation, tensorOf(type, operands));
    ASSERT_TRUE(result) << result.error().str();
    std::vector<double> got = valuesOf(*result);
    size_t failures = 0;
    for (size_t i = 0; i < operands.size(); ++i) {
      mpfr_srcptr exact = reference(function, operands[i]);
      uint64_t pattern = roundedPattern(type, exact);
      if (!isSameNumber(type, got[i], pattern, exact) && ++failures <= 3) {
        ADD_FAILURE() << mnemonic(operation) << " of " << name(type) << " at "
                      << textOf(operands[i]) << " is " << textOf(got[i]) << ", expected "
                      << textOf(decode(type, pattern));
      }
    }
    EXPECT_EQ(failures, 0u) << mnemonic(operation) << " of " << name(type);
  }
}

// Checks pairs of bit patterns: all pairs of two 8-bit types, `count` random ones for 16-bit types.
static void checkNarrow(BinaryOperation operation, uint64_t count) {
  bool isSum = operation == BinaryOperation::Polygamma || operation == BinaryOperation::Zeta;
  Real2 function = realBinary().at(operation);
  Reference reference;
  for (ElementType type :
       {ElementType::F8E4M3FN, ElementType::F8E5M2, ElementType::F16, ElementType::BF16}) {
    PointPairs pairs;
    Draws draws{31};
    bool isShort = info(type).bits == 8;
    for (uint64_t i = 0; i < (isShort ? uint64_t{1} << 16 : count); ++i) {
      uint64_t patterns = isShort ? i : draws.next();
      double a = decode(type, patterns & (isShort ? 0xff : 0xffff));
      double b = decode(type, isShort ? patterns >> 8 : patterns >> 16 & 0xffff);
      // The domain in which the references are both defined and fast enough.
      bool isInside =
          b > -64 && b < 1e4 &&
          (operation == BinaryOperation::Zeta ? a > 1 && a < 100
                                              : a >= 0 && a <= 20 && a == std::floor(a));
      if (!isSum || (isInside && (i & 15) == 0)) {
        pairs.a.push_back(a);
        pairs.b.push_back(b);
      }
    }
    Result<Tensor> result = binary(operation, tensorOf(type, pairs.a), tensorOf(type, pairs.b));
    ASSERT_TRUE(result) << result.error().str();
    std::vector<double> got = valuesOf(*result);
    size_t failures = 0;
    for (size_t i = 0; i < got.size(); ++i) {
      mpfr_srcptr exact = reference(function, pairs.a[i], pairs.b[i]);
      uint64_t pattern = roundedPattern(type, exact);
      if (!isSameNumber(type, got[i], pattern, exact) && ++failures <= 3) {
        ADD_FAILURE() << mnemonic(operation) << " of " << name(type) << " at ("
                      << textOf(pairs.a[i]) << ", " << textOf(pairs.b[i]) << ") is "
                      << textOf(got[i]) << ", expected " << textOf(decode(type, pattern));
      }
    }
    EXPECT_EQ(failures, 0u) << mnemonic(operation) << " of " << name(type);
  }
}

//===-- f32 and f64 ---------------------------------------------------------------------------===//

static Worst measure(UnaryOperation operation, ElementType type, double share) {
  std::vector<double> operands = points(operation, type, share);
  Result<Tensor> result = unary(operation, tensorOf(type, operands));
  EXPECT_TRUE(result);
  std::vector<double> got = valuesOf(*result);
  Reference reference;
  Worst worst;
  for (size_t i = 0; i < got.size(); ++i) {
    mpfr_srcptr exact = reference(realUnary().at(operation), operands[i]);
    worst.take(ulpError(type, got[i], exact), textOf(operands[i]) + " -> " + textOf(got[i]));
  }
  return worst;
}

static Worst measure(BinaryOperation operation, ElementType type, double share) {
  PointPairs pairs = points(operation, type, share);
  Result<Tensor> result = binary(operation, tensorOf(type, pairs.a), tensorOf(type, pairs.b));
  EXPECT_TRUE(result);
  std::vector<double> got = valuesOf(*result);
  Reference reference;
  Worst worst;
  for (size_t i = 0; i < got.size(); ++i) {
    mpfr_srcptr exact = reference(realBinary().at(operation), pairs.a[i], pairs.b[i]);
    worst.take(ulpError(type, got[i], exact),
               textOf(pairs.a[i]) + ", " + textOf(pairs.b[i]) + " -> " + textOf(got[i]));
  }
  return worst;
}

template <typename Operation> static void checkWide(Operation operation, double share) {
  Bounds bounds = boundsOf(operation);
  Worst f32 = measure(operation, ElementType::F32, share);
  EXPECT_LE(f32.ulps, bounds.f32) << mnemonic(operation) << " of f32 at " << f32.where;
  Worst f64 = measure(operation, ElementType::F64, share);
  EXPECT_LE(f64.ulps, bounds.f64) << mnemonic(operation) << " of f64 at " << f64.where;
  report(mnemonic(operation), rounded(f32.ulps) + " | " + rounded(f64.ulps));
}

TEST_P(Numerics, RoundsNarrowTypesCorrectly) { checkNarrow(GetParam(), 37); }
TEST_P(SlowNumerics, RoundsEveryNarrowNumberCorrectly) { checkNarrow(GetParam(), 1); }
TEST_P(Numerics, StaysWithinItsBounds) { checkWide(GetParam(), 0.125); }
TEST_P(SlowNumerics, StaysWithinItsBoundsEverywhere) { checkWide(GetParam(), 1); }
TEST_P(PairNumerics, RoundsNarrowTypesCorrectly) { checkNarrow(GetParam(), 4000); }
TEST_P(SlowPairNumerics, RoundsManyNarrowPairsCorrectly) { checkNarrow(GetParam(), 300000); }
TEST_P(PairNumerics, StaysWithinItsBounds) { checkWide(GetParam(), 0.125); }
TEST_P(SlowPairNumerics, StaysWithinItsBoundsEverywhere) { checkWide(GetParam(), 1); }

//===-- complex numbers -----------------------------------------------------------------------===//

static Tensor tensorOf(ElementType type, const std::vector<std::complex<double>> &values) {
  Tensor tensor(type, {static_cast<int64_t>(values.size())});
  storeRun<std::complex<double>>(type, values.data(), tensor.data(), tensor.elements());
  return tensor;
}

static std::vector<std::complex<double>> complexValuesOf(const Tensor &tensor) {
  std::vector<std::complex<double>> values(static_cast<size_t>(tensor.elements()));
  loadRun<std::complex<double>>(tensor.type(), tensor.data(), values.data(), tensor.elements());
  return values;
}

namespace {
struct ComplexWorst {
  Worst parts; // the larger error of the real and the imaginary part
  Worst whole; // the relative error of the complex number, in units of 2^-mantissaBits
};
} // namespace

static void take(ComplexWorst &worst, ElementType type, std::complex<double> got, mpc_srcptr exact,
                 const std::string &where, bool isReal) {
  ElementType part = partType(type);
  double real = ulpError(part, got.real(), mpc_realref(exact));
  double imaginary = isReal ? 0 : ulpError(part, got.imag(), mpc_imagref(exact));
  std::string text = where + " -> " + textOf(got);
  worst.parts.take(std::max(real, imaginary), text);
  mpfr_t size, difference;
  mpfr_inits2(complexPrecision, size, difference, static_cast<mpfr_ptr>(nullptr));
  mpc_abs(size, exact, MPFR_RNDN);
  if (mpfr_regular_p(size) && std::isfinite(got.real()) && std::isfinite(got.imag())) {
    mpc_t distance, other;
    mpc_init2(distance, complexPrecision);
    mpc_init2(other, 53);
    mpc_set_d_d(other, got.real(), got.imag(), MPC_RNDNN);
    mpc_sub(distance, exact, other, MPC_RNDNN);
    mpc_abs(difference, distance, MPFR_RNDN);
    // For a subnormal absolute value, the error is relative to the least normal number.
    long least = 1 - info(part).exponentBias;
    if (mpfr_get_exp(size) - 1 < least) {
      mpfr_set_ui_2exp(size, 1, least, MPFR_RNDN);
    }
    mpfr_div(difference, difference, size, MPFR_RNDN);
    mpfr_mul_2ui(difference, difference, info(part).mantissaBits, MPFR_RNDN);
    worst.whole.take(mpfr_get_d(difference, MPFR_RNDN), text);
    mpc_clear(distance);
    mpc_clear(other);
  }
  mpfr_clears(size, difference, static_cast<mpfr_ptr>(nullptr));
}

// Returns whether a function consists of exponentials, and so is periodic. Such functions get
// smaller operands: for large operands, the real part, the imaginary part or both would overflow.
static bool isPeriodic(UnaryOperation operation) {
  constexpr double period = 2 * std::numbers::pi;
  Result<Tensor> result =
      unary(operation,
            tensorOf(ElementType::C128, {{0.3, 0.4}, {0.3 + period, 0.4}, {0.3, 0.4 + period}}));
  EXPECT_TRUE(result);
  if (!isComplex(result->type())) {
    return false;
  }
  std::vector<std::complex<double>> values = complexValuesOf(*result);
  return std::abs(values[1] - values[0]) < 1e-9 || std::abs(values[2] - values[0]) < 1e-9;
}

static ComplexWorst measureComplex(UnaryOperation operation, ElementType type, double share) {
  std::vector<std::complex<double>> operands =
      complexPoints(type, 41, share, isPeriodic(operation) ? 6 : 100);
  Result<Tensor> result = unary(operation, tensorOf(type, operands));
  EXPECT_TRUE(result);
  bool isReal = !isComplex(result->type());
  std::vector<std::complex<double>> got;
  if (isReal) {
    for (double value : valuesOf(*result)) {
      got.emplace_back(value, 0);
    }
  } else {
    got = complexValuesOf(*result);
  }
  ComplexReference reference;
  ComplexWorst worst;
  for (size_t i = 0; i < got.size(); ++i) {
    mpc_srcptr exact = reference(complexUnary().at(operation), operands[i]);
    take(worst, type, got[i], exact, textOf(operands[i]), isReal);
  }
  return worst;
}

// Returns whether errors are measured for these operands. Powers and arctangents are measured only
// for operands of moderate magnitude: for other operands, the error is only that of the exponential
// of a large number, or one bit decides which branch of the function applies.
static bool isMeasured(BinaryOperation operation, std::complex<double> a, std::complex<double> b) {
  if (operation != BinaryOperation::Power && operation != BinaryOperation::Atan2) {
    return true;
  }
  for (double part : {a.real(), a.imag(), b.real(), b.imag()}) {
    if (std::fabs(part) < 0x1p-6 || std::fabs(part) > 0x1p6) {
      return false;
    }
  }
  return operation == BinaryOperation::Atan2 || std::abs(b * std::log(a)) < 80;
}

static ComplexWorst measureComplex(BinaryOperation operation, ElementType type, double share) {
  std::vector<std::complex<double>> a, b;
  std::vector<std::complex<double>> allA = complexPoints(type, 43, share),
                                    allB = complexPoints(type, 47, share);
  for (size_t i = 0; i < allA.size(); ++i) {
    if (isMeasured(operation, allA[i], allB[i])) {
      a.push_back(allA[i]);
      b.push_back(allB[i]);
    }
  }
  Result<Tensor> result = binary(operation, tensorOf(type, a), tensorOf(type, b));
  EXPECT_TRUE(result);
  std::vector<std::complex<double>> got = complexValuesOf(*result);
  ComplexReference reference;
  ComplexWorst worst;
  for (size_t i = 0; i < got.size(); ++i) {
    mpc_srcptr exact = reference(complexBinary().at(operation), a[i], b[i]);
    take(worst, type, got[i], exact, textOf(a[i]) + ", " + textOf(b[i]), false);
  }
  return worst;
}

template <typename Operation> static void checkComplex(Operation operation, double share) {
  ComplexWorst c64 = measureComplex(operation, ElementType::C64, share);
  ComplexBounds bounds = complexBoundsOf(operation);
  EXPECT_LE(c64.parts.ulps, bounds.c64) << mnemonic(operation) << " of c64 at " << c64.parts.where;
  EXPECT_LE(c64.whole.ulps, bounds.whole)
      << mnemonic(operation) << " of c64 at " << c64.whole.where;
  ComplexWorst c128 = measureComplex(operation, ElementType::C128, share);
  EXPECT_LE(c128.parts.ulps, bounds.c128)
      << mnemonic(operation) << " of c128 at " << c128.parts.where;
  EXPECT_LE(c128.whole.ulps, bounds.whole)
      << mnemonic(operation) << " of c128 at " << c128.whole.where;
  report(std::string(mnemonic(operation)) + ", complex",
         rounded(c64.parts.ulps) + " | " + rounded(c128.parts.ulps) + " | " +
             rounded(c64.whole.ulps) + " | " + rounded(c128.whole.ulps));
}

TEST_P(ComplexNumerics, StaysWithinItsBounds) { checkComplex(GetParam(), 0.25); }
TEST_P(SlowComplexNumerics, StaysWithinItsBoundsEverywhere) { checkComplex(GetParam(), 2); }
TEST_P(ComplexPairNumerics, StaysWithinItsBounds) { checkComplex(GetParam(), 0.25); }
TEST_P(SlowComplexPairNumerics, StaysWithinItsBoundsEverywhere) { checkComplex(GetParam(), 2); }

//===-- the operations ------------------------------------------------------------------------===//

template <typename Table> static auto keysOf(const Table &table) {
  std::vector<typename Table::key_type> keys;
  for (const auto &[key, value] : table) {
    keys.push_back(key);
  }
  return keys;
}

template <typename Operation>
static std::string nameOf(const testing::TestParamInfo<Operation> &info) {
  return mnemonic(info.param);
}

#define DRUMLIN_NUMERICS_SUITES(Suite, table, Operation)                                           \
  INSTANTIATE_TEST_SUITE_P(All, Suite, testing::ValuesIn(keysOf(table())), nameOf<Operation>);     \
  INSTANTIATE_TEST_SUITE_P(Slow, Slow##Suite, testing::ValuesIn(keysOf(table())), nameOf<Operation>)
DRUMLIN_NUMERICS_SUITES(Numerics, realUnary, UnaryOperation);
DRUMLIN_NUMERICS_SUITES(PairNumerics, realBinary, BinaryOperation);
DRUMLIN_NUMERICS_SUITES(ComplexNumerics, complexUnary, UnaryOperation);
DRUMLIN_NUMERICS_SUITES(ComplexPairNumerics, complexBinary, BinaryOperation);
