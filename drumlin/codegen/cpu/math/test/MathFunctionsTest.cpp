// Compares the measured error of every math function with its bound in MathFunctions.def, in three
// native variants.
//
// f32 functions are compared with the interpreter's f64 functions, which InterpreterNumericsTests
// measures, at bit patterns of f32 with a stride (`./dev numerics` visits all of them). f64
// functions are compared with MPFR, at points chosen for each function's range. Edge values are
// always included.
#include "drumlin/codegen/cpu/math/test/FunctionErrors.h"
#include "drumlin/interpreter/kernels/test/numerics/ExactReal.h"
#include "drumlin/interpreter/kernels/test/numerics/MeasuredErrors.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <bit>
#include <cmath>
#include <cstdint>
#include <cstring>
#include <limits>
#include <map>
#include <mpfr.h>
#include <string>
#include <vector>

using namespace drumlin;
using namespace drumlin::codegen::math;
using namespace drumlin::interpreter;

static UnaryOperation unaryOf(const FunctionInfo &function) {
  return *unaryOperation(function.operation);
}
static BinaryOperation binaryOf(const FunctionInfo &function) {
  return *binaryOperation(function.operation);
}

// Returns the result of the interpreter's function in f64.
static double inDouble(UnaryOperation operation, double x) {
  return withUnaryFunction(operation, ElementType::F64, [&](const auto &function) -> double {
    if constexpr (requires { double(function(x)); }) {
      return function(x);
    } else {
      return std::numeric_limits<double>::quiet_NaN();
    }
  });
}
static double inDouble(BinaryOperation operation, double a, double b) {
  return withBinaryFunction(operation, ElementType::F64, [&](const auto &function) -> double {
    if constexpr (requires { double(function(a, b)); }) {
      return function(a, b);
    } else {
      return std::numeric_limits<double>::quiet_NaN();
    }
  });
}

namespace {

// A small random generator that yields the same numbers on every platform.
struct Random {
  uint64_t state;
  uint64_t next() {
    state += 0x9e3779b97f4a7c15ull;
    uint64_t z = (state ^ (state >> 30)) * 0xbf58476d1ce4e5b9ull;
    z = (z ^ (z >> 27)) * 0x94d049bb133111ebull;
    return z ^ (z >> 31);
  }
  double unit() { return static_cast<double>(next() >> 11) * 0x1p-53; }
};

class MathFunctions : public testing::TestWithParam<FunctionInfo> {};

} // namespace

static std::vector<float> edgesF32() {
  std::vector<float> edges = {0,
                              1,
                              0.5f,
                              2,
                              3,
                              0x1p-149f,
                              0x1.8p-148f,
                              0x1.fffffcp-127f,
                              0x1p-126f,
                              0x1.fffffep127f,
                              0x1p23f,
                              0x1p24f,
                              0x1.fffffep23f,
                              0x1p25f,
                              0x1p52f,
                              0x1p53f,
                              0x1p54f,
                              0.25f,
                              88.7228f,
                              88.72284f,
                              103.97f,
                              104.0f,
                              87.3365f,
                              0.99999994f,
                              1.0000001f,
                              3.14159274f,
                              1.57079637f,
                              0x1p20f,
                              1048577.0f,
                              10.05f,
                              3.9192059f,
                              INFINITY,
                              NAN,
                              0x1.62e43p-2f,
                              0x1.5d5c18p46f,
                              1e10f,
                              0x1.6a09e6p-1f,
                              0x1.6a09e6p0f};
  for (size_t i = 0, n = edges.size(); i < n; ++i) {
    edges.push_back(-edges[i]);
  }
  return edges;
}

static std::vector<double> edgesF64() {
  std::vector<double> edges = {0x1p-1074,
                               0x1.8p-1073,
                               0x1p-1022,
                               0x1.fffffffffffffp-1023,
                               0x1.fffffffffffffp1023,
                               0x1p52,
                               0x1p53,
                               0x1.fffffffffffffp52,
                               709.782712893384,
                               709.7827128933841,
                               745.1332191019412,
                               744.44,
                               708.3964185322641,
                               M_PI,
                               M_PI_2,
                               M_PI_4,
                               0x1.921fb54442d19p19,
                               0x1.6ac5b262ca1ffp849,
                               26.543,
                               27.226,
                               5.921587195794507,
                               1 - 0x1p-53,
                               1 + 0x1p-52,
                               1e300,
                               1e-300};
  for (float edge : edgesF32()) {
    edges.push_back(edge);
  }
  for (size_t i = 0, n = edges.size(); i < n; ++i) {
    edges.push_back(-edges[i]);
  }
  return edges;
}

// Returns whether the function is a sum of several terms.
static bool isSum(const FunctionInfo &function) {
  return function.operation == std::string("zeta") ||
         function.operation == std::string("polygamma");
}

// Returns a second operand for a random first operand. For atan2 and remainder, it is near the
// first operand. For pow, its size is such that the power neither overflows nor underflows.
static double partner(const std::string &operation, double x, Random &random, double spread) {
  double sign = (random.next() & 1) ? -1 : 1;
  if (operation == "power") {
    double log = std::log(std::fabs(x));
    return (random.next() & 3) == 0 ? std::floor(random.unit() * 64) * sign
                                    : random.unit() * sign * spread / log;
  }
  return x * sign * std::exp2(random.unit() * 60 - (operation == "remainder" ? 55 : 30));
}

static void checkF32(const FunctionInfo &function, std::map<std::string, double> &worst,
                     std::map<std::string, std::string> &where) {
  constexpr size_t Block = 4096;
  const uint64_t stride = function.arity == 2 ? 4099 : 2053;
  std::vector<float> a(Block), b(Block), got(Block);
  std::vector<double> exact(Block);
  std::vector<float> edges = edgesF32();
  Random random{7};
  size_t filled = 0;
  auto flush = [&] {
    for (size_t i = filled; i < Block; ++i) {
      a[i] = b[i] = 1;
    }
    for (size_t i = 0; i < filled; ++i) {
      exact[i] = function.arity == 1 ? inDouble(unaryOf(function), a[i])
                                     : inDouble(binaryOf(function), a[i], b[i]);
    }
    for (const Variant &variant : variants()) {
      if (!variant.supported) {
        continue;
      }
      find(variant.table, function.name)(a.data(), b.data(), got.data(), Block);
      double &largest = worst[variant.name];
      for (size_t i = 0; i < filled; ++i) {
        double error = ulpErrorF32(got[i], exact[i]);
        if (error > largest) {
          largest = error;
          char text[160];
          std::snprintf(text, sizeof(text), "(%a, %a) = %a, exact %a", a[i], b[i], got[i],
                        exact[i]);
          where[variant.name] = text;
        }
      }
    }
    filled = 0;
  };
  auto add = [&](float x, float y) {
    a[filled] = x;
    b[filled] = y;
    if (++filled == Block) {
      flush();
    }
  };
  for (float x : edges) {
    if (function.arity == 1) {
      add(x, 1);
      continue;
    }
    for (float y : edges) {
      add(x, y);
    }
  }
  if (isSum(function)) {
    exact::PointPairs pairs = exact::points(binaryOf(function), ElementType::F32, 1);
    for (size_t i = 0; i < pairs.a.size(); ++i) {
      add(static_cast<float>(pairs.a[i]), static_cast<float>(pairs.b[i]));
    }
  }
  // Adds numbers of few bits, mainly powers of two, for which sums are exact or ties.
  for (uint64_t bits = 0; bits < (1ull << 32) && function.arity == 1; bits += 1ull << 16) {
    add(std::bit_cast<float>(static_cast<uint32_t>(bits)), 1);
  }
  for (uint64_t bits = 0; bits < (1ull << 32) && !isSum(function); bits += stride) {
    float x = std::bit_cast<float>(static_cast<uint32_t>(bits));
    if (function.arity == 1) {
      add(x, 1);
    } else if ((bits & 3) == 0) {
      add(x, std::bit_cast<float>(static_cast<uint32_t>(random.next())));
    } else {
      add(x, static_cast<float>(partner(function.operation, x, random, 90)));
    }
  }
  flush();
}

static std::vector<double> pointsF64(const FunctionInfo &function) {
  std::vector<double> points = edgesF64();
  Random near{17};
  for (double place : hardPlaces) {
    points.push_back(place);
    points.push_back(std::nextafter(place, 100.0));
    points.push_back(std::nextafter(place, -100.0));
    for (int i = 0; i < 200; ++i) {
      points.push_back(place + place * std::exp2(-near.unit() * 53) * (i % 2 == 0 ? 1 : -1));
    }
  }
  Random random{11};
  std::string operation = function.operation;
  std::vector<exact::Interval> intervals = {{-20, 20}};
  if (function.arity == 1) {
    intervals = exact::intervals(unaryOf(function));
  } else if (operation == "power") {
    intervals = {{0, 10}};
  }
  // There are fewer operands with arbitrary exponents, because MPFR computes trigonometric
  // functions and erf slowly for them.
  for (int i = 0; i < 4000; ++i) {
    points.push_back(std::bit_cast<double>(random.next()));
    double small = std::exp2(random.unit() * 80 - 60);
    points.push_back((random.next() & 1) ? -small : small);
  }
  int many = operation == "erf_inv" ? 6000 : 16000;
  for (exact::Interval interval : intervals) {
    for (int i = 0; i < many; ++i) {
      points.push_back(interval.first + (interval.end - interval.first) * random.unit());
      if (operation == "erf_inv") {
        points.push_back(1 - std::exp2(-random.unit() * 53));
      }
    }
  }
  return points;
}

static void checkF64(const FunctionInfo &function, std::map<std::string, double> &worst,
                     std::map<std::string, std::string> &where) {
  std::vector<double> a = pointsF64(function), b(a.size(), 1);
  if (isSum(function)) {
    exact::PointPairs pairs = exact::points(binaryOf(function), ElementType::F64, 1);
    a = pairs.a, b = pairs.b;
  } else if (function.arity == 2) {
    Random random{13};
    for (size_t i = 0; i < b.size(); ++i) {
      b[i] = (i & 7) == 0 ? std::bit_cast<double>(random.next())
                          : partner(function.operation, a[i], random, 720);
    }
    std::vector<double> edges = edgesF64();
    for (double x : edges) {
      for (double y : edges) {
        a.push_back(x);
        b.push_back(y);
      }
    }
  }
  while (a.size() % 16) {
    a.push_back(1);
    b.push_back(1);
  }
  std::map<std::string, std::vector<double>> results;
  for (const Variant &variant : variants()) {
    if (variant.supported) {
      results[variant.name].resize(a.size());
      find(variant.table, function.name)(a.data(), b.data(), results[variant.name].data(),
                                         a.size());
    }
  }
  mpfr_t x, y, exact, scratch;
  mpfr_inits2(53, x, y, static_cast<mpfr_ptr>(nullptr));
  mpfr_inits2(referencePrecision, exact, scratch, static_cast<mpfr_ptr>(nullptr));
  for (size_t i = 0; i < a.size(); ++i) {
    mpfr_set_d(x, a[i], MPFR_RNDN);
    mpfr_set_d(y, b[i], MPFR_RNDN);
    if (function.arity == 1) {
      exact::realUnary().at(unaryOf(function))(exact, x);
    } else {
      exact::realBinary().at(binaryOf(function))(exact, x, y);
    }
    for (auto &[name, values] : results) {
      double error =
          ulpErrorF64(values[i], exact, scratch, leastUnitF64(function.operation, a[i], b[i]));
      if (error > worst[name]) {
        worst[name] = error;
        char text[160];
        std::snprintf(text, sizeof(text), "(%a, %a) = %a, exact %a", a[i], b[i], values[i],
                      mpfr_get_d(exact, MPFR_RNDN));
        where[name] = text;
      }
    }
  }
  mpfr_clears(x, y, exact, scratch, static_cast<mpfr_ptr>(nullptr));
}

TEST_P(MathFunctions, StaysWithinItsStatedError) {
  const FunctionInfo &function = GetParam();
  std::map<std::string, double> worst;
  std::map<std::string, std::string> where;
  if (function.element == Element::F32) {
    checkF32(function, worst, where);
  } else {
    checkF64(function, worst, where);
  }
  std::string summary;
  for (auto &[name, error] : worst) {
    EXPECT_LE(error, function.maxUlp) << function.name << " on " << name << " at " << where[name];
    RecordProperty(name, std::to_string(error));
    summary += " " + name + " " + std::to_string(error);
  }
  std::printf("%-14s max ULP:%s\n", function.name, summary.c_str());
}

// Tests all pairs of edge values for which the interpreter returns a NaN, an infinity or a zero.
TEST(MathFunctionsOfSums, HaveTheInterpretersSpecialValues) {
  std::vector<double> edges = edgesF64(), a, b;
  edges.insert(edges.end(), {-4, -5, -2.5, 170, 171, 0x1p53, -0x1p53});
  for (double x : edges) {
    for (double y : edges) {
      a.push_back(x);
      b.push_back(y);
    }
  }
  while (a.size() % 16 != 0) {
    a.push_back(1);
    b.push_back(1);
  }
  std::vector<double> got(a.size());
  for (const FunctionInfo &function : functions()) {
    if (!isSum(function) || function.element != Element::F64) {
      continue;
    }
    for (const Variant &variant : variants()) {
      if (!variant.supported) {
        continue;
      }
      find(variant.table, function.name)(a.data(), b.data(), got.data(), a.size());
      size_t failures = 0;
      for (size_t i = 0; i < a.size(); ++i) {
        double expected = inDouble(binaryOf(function), a[i], b[i]);
        bool isSame = std::isnan(expected) ? std::isnan(got[i]) : expected == got[i];
        if ((!std::isfinite(expected) || expected == 0) && !isSame && ++failures <= 5) {
          ADD_FAILURE() << function.name << " on " << variant.name << " at (" << a[i] << ", "
                        << b[i] << ") is " << got[i] << ", expected " << expected;
        }
      }
      EXPECT_EQ(failures, 0u);
    }
  }
}

INSTANTIATE_TEST_SUITE_P(Slow, MathFunctions, testing::ValuesIn(functions()),
                         [](const testing::TestParamInfo<FunctionInfo> &info) {
                           return std::string(info.param.name);
                         });
