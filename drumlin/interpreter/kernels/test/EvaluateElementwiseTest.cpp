#include "drumlin/interpreter/kernels/EvaluateElementwise.h"
#include "drumlin/interpreter/kernels/test/Tensors.h"
#include "drumlin/support/FloatFormats.h"

#include <algorithm>

using namespace drumlin;
using namespace drumlin::interpreter;
using enum drumlin::ElementType;

// Integers wrap in their own width.
TEST(Elementwise, IntegersWrap) {
  expectElements(binary(BinaryOperation::Add, make(SI8, {127, -128}), make(SI8, {1, -1})),
                 {-128, 127});
  expectElements(binary(BinaryOperation::Add, make(SI4, {7, -8}), make(SI4, {1, -1})), {-8, 7});
  expectElements(binary(BinaryOperation::Add, make(SI2, {1}), make(SI2, {1})), {-2});
  expectElements(binary(BinaryOperation::Subtract, make(UI4, {0}), make(UI4, {1})), {15});
  expectElements(binary(BinaryOperation::Multiply, make(UI8, {16, 255}), make(UI8, {16, 255})),
                 {0, 1});
  expectElements(binary(BinaryOperation::Multiply, make(SI32, {65536}), make(SI32, {65536})), {0});
  expectElements(binary(BinaryOperation::Add, make(SI64, {0x1p62}), make(SI64, {0x1p62})),
                 {-0x1p63});
  expectElements(unary(UnaryOperation::Negate, make(SI8, {-128, 1})), {-128, -1});
  expectElements(unary(UnaryOperation::Negate, make(UI8, {1})), {255});
  expectElements(unary(UnaryOperation::Abs, make(SI8, {-128, -1, 0})), {-128, 1, 0});
}

TEST(Elementwise, IntegerDivision) {
  expectElements(
      binary(BinaryOperation::Divide, make(SI64, {17, -17, 17, -17}), make(SI64, {3, 3, -3, -3})),
      {5, -5, -5, 5});
  expectElements(binary(BinaryOperation::Remainder, make(SI64, {17, -17, 17, -17}),
                        make(SI64, {3, 3, -3, -3})),
                 {2, -2, 2, -2});
  expectElements(binary(BinaryOperation::Divide, make(SI8, {5, -128, 0}), make(SI8, {0, -1, 0})),
                 {-1, -128, -1});
  expectElements(binary(BinaryOperation::Remainder, make(SI8, {5, -128}), make(SI8, {0, -1})),
                 {5, 0});
  expectElements(binary(BinaryOperation::Divide, make(SI32, {-0x1p31}), make(SI32, {-1})),
                 {-0x1p31});
  expectElements(binary(BinaryOperation::Divide, make(SI64, {-0x1p63}), make(SI64, {-1})),
                 {-0x1p63});
  expectElements(binary(BinaryOperation::Divide, make(UI8, {5}), make(UI8, {0})), {255});
  expectElements(binary(BinaryOperation::Remainder, make(UI4, {5}), make(UI4, {0})), {5});
}

TEST(Elementwise, IntegerPower) {
  expectElements(binary(BinaryOperation::Power, make(SI64, {-1, -1, -3, 1, -3, 0}),
                        make(SI64, {1, 0, -3, -3, 3, 2})),
                 {-1, 1, 0, 1, -27, 0});
  expectElements(
      binary(BinaryOperation::Power, make(UI64, {0, 0, 1, 1, 5}), make(UI64, {0, 1, 0, 2, 5})),
      {1, 0, 1, 1, 3125});
  expectElements(binary(BinaryOperation::Power, make(SI8, {2, -1, -1}), make(SI8, {7, -2, -3})),
                 {-128, 1, -1});
}

// Shift amounts of at least the width shift everything out; a negative amount is a large unsigned
// one.
TEST(Elementwise, Shifts) {
  expectElements(
      binary(BinaryOperation::ShiftLeft, make(SI8, {1, 1, 1, -1}), make(SI8, {7, 8, -1, 1})),
      {-128, 0, 0, -2});
  expectElements(
      binary(BinaryOperation::ShiftRightLogical, make(SI8, {-1, -1, -128}), make(SI8, {1, 8, 7})),
      {127, 0, 1});
  expectElements(binary(BinaryOperation::ShiftRightArithmetic, make(SI8, {-128, -1, 64}),
                        make(SI8, {7, 100, 8})),
                 {-1, -1, 0});
  expectElements(binary(BinaryOperation::ShiftRightArithmetic, make(UI8, {128}), make(UI8, {1})),
                 {192});
  expectElements(binary(BinaryOperation::ShiftRightLogical, make(UI4, {15}), make(UI4, {3})), {1});
  expectElements(binary(BinaryOperation::ShiftLeft, make(SI64, {1}), make(SI64, {64})), {0});
}

TEST(Elementwise, BitsAndBooleans) {
  expectElements(unary(UnaryOperation::Popcnt, make(SI4, {-1, 0, 5})), {4, 0, 2});
  expectElements(unary(UnaryOperation::CountLeadingZeros, make(SI8, {-1, 0, 1})), {0, 8, 7});
  expectElements(unary(UnaryOperation::CountLeadingZeros, make(UI2, {0, 1, 2})), {2, 1, 0});
  expectElements(unary(UnaryOperation::Not, make(I1, {0, 1})), {1, 0});
  expectElements(unary(UnaryOperation::Not, make(UI4, {0, 5})), {15, 10});
  expectElements(binary(BinaryOperation::Add, make(I1, {0, 1, 1}), make(I1, {0, 0, 1})), {0, 1, 1});
  expectElements(binary(BinaryOperation::Multiply, make(I1, {0, 1, 1}), make(I1, {0, 0, 1})),
                 {0, 0, 1});
  expectElements(binary(BinaryOperation::Xor, make(I1, {0, 1, 1}), make(I1, {0, 0, 1})), {0, 1, 0});
  expectElements(binary(BinaryOperation::And, make(SI8, {-1, 12}), make(SI8, {5, 10})), {5, 8});
  EXPECT_FALSE(bool(binary(BinaryOperation::And, make(F32, {1}), make(F32, {1}))));
  EXPECT_FALSE(bool(binary(BinaryOperation::Subtract, make(I1, {1}), make(I1, {1}))));
  EXPECT_FALSE(bool(unary(UnaryOperation::Negate, make(I1, {1}))));
  EXPECT_FALSE(bool(unary(UnaryOperation::Sine, make(SI8, {1}))));
}

// NaN wins, and +0 is greater than -0.
TEST(Elementwise, MaximumAndMinimum) {
  for (ElementType type : {F32, F64, BF16, F16, F8E5M2}) {
    expectElements(binary(BinaryOperation::Maximum, make(type, {quietNan, 1, -0.0, 0.0, -inf, 2}),
                          make(type, {1, quietNan, 0.0, -0.0, -1, 1})),
                   {quietNan, quietNan, 0.0, 0.0, -1, 2});
    expectElements(binary(BinaryOperation::Minimum, make(type, {quietNan, 1, -0.0, 0.0, -inf, 2}),
                          make(type, {1, quietNan, 0.0, -0.0, -1, 1})),
                   {quietNan, quietNan, -0.0, -0.0, -inf, 1});
  }
}

TEST(Elementwise, Clamp) {
  expectElements(clamp(make(SI64, {1, 5, -5}), make(SI64, {2, 3, -1}), make(SI64, {3, 7, -3})),
                 {2, 5, -3});
  expectElements(clamp(make(SI64, {}, {0}), make(SI64, {2, 3, -1}), make(SI64, {}, {1})),
                 {1, 1, 0});
  expectElements(clamp(make(F32, {}, {0}), make(F32, {quietNan, inf, -inf}), make(F32, {}, {1})),
                 {quietNan, 1, 0});
}

// Each operation rounds once to the element type.
TEST(Elementwise, RoundsOnceToTheElementType) {
  // 1 + 2^-8 is halfway between 1 and the next bf16 and ties to even; 1 + 2^-8 + 2^-7 ties upwards.
  expectElements(
      binary(BinaryOperation::Add, make(BF16, {1, 1.0078125}), make(BF16, {0x1p-8, 0x1p-8})),
      {1, 1.015625});
  expectElements(binary(BinaryOperation::Add, make(F32, {16777216}), make(F32, {1})), {16777216});
  expectElements(binary(BinaryOperation::Add, make(F16, {65504}), make(F16, {16})), {inf});
  expectElements(
      binary(BinaryOperation::Multiply, make(F8E4M3FN, {448, 448}), make(F8E4M3FN, {1, 2})),
      {448, quietNan});
  expectElements(binary(BinaryOperation::Multiply, make(F16, {0x1p-24}), make(F16, {0.5})), {0});
  expectElements(binary(BinaryOperation::Divide, make(F32, {1, -1, 0}), make(F32, {0, 0, 0})),
                 {inf, -inf, quietNan});
  expectElements(binary(BinaryOperation::Divide, make(F32, {1}), make(F32, {3})),
                 {static_cast<double>(1.0f / 3.0f)});
}

TEST(Elementwise, FloatRemainderAndPower) {
  expectElements(binary(BinaryOperation::Remainder, make(F32, {5.5, -5.5, 5.5, 1, inf, -0.0}),
                        make(F32, {2, 2, -2, 0, 1, 1})),
                 {1.5, -1.5, 1.5, quietNan, quietNan, -0.0});
  expectElements(binary(BinaryOperation::Power, make(F64, {-2, -0.0, -36, 0, quietNan, 1, 10000}),
                        make(F64, {2, 2, 1.1, 0, 0, quietNan, 10})),
                 {4, 0, quietNan, 1, 1, 1, 1e40});
  expectElements(
      binary(BinaryOperation::Atan2, make(F32, {0.0, -0.0, 1}), make(F32, {-1, -1, 0})),
      {static_cast<float>(M_PI), -static_cast<float>(M_PI), static_cast<float>(M_PI / 2)});
}

TEST(Elementwise, RoundsHalvesToEven) {
  std::vector<double> values{2.5, -2.5, 0.5, -0.5, 1.5, 0.4, -0.4, -0.0};
  expectElements(unary(UnaryOperation::RoundNearestEven, make(F32, values)),
                 {2, -2, 0, -0.0, 2, 0, -0.0, -0.0});
}

TEST(Elementwise, Signs) {
  expectElements(unary(UnaryOperation::Sign, make(F32, {quietNan, -3, -0.0, 0.0, 2, -inf})),
                 {quietNan, -1, -0.0, 0.0, 1, -1});
  expectElements(unary(UnaryOperation::Sign, make(SI8, {-128, 0, 5})), {-1, 0, 1});
  expectElements(unary(UnaryOperation::Abs, make(BF16, {-0.0, -inf, -1})), {0.0, inf, 1});
  expectElements(unary(UnaryOperation::Negate, make(F32, {0.0, -inf})), {-0.0, inf});
  expectElements(unary(UnaryOperation::IsFinite, make(F32, {inf, quietNan, 1})), {0, 0, 1});
}

// Functions of the standard library are computed in double and rounded once.
TEST(Elementwise, FunctionsOfTheStandardLibrary) {
  std::vector<double> values{-1.5, -0.5, -0.0, 0.25, 0.75, 2.5, 3};
  auto check = [&](UnaryOperation operation, double (*function)(double)) {
    SCOPED_TRACE(mnemonic(operation));
    for (ElementType type : {F32, BF16, F16}) {
      std::vector<double> expected;
      for (double value : values) {
        expected.push_back(roundTo(type, function(value)));
      }
      expectElements(unary(operation, make(type, values)), expected);
    }
  };
#define NO_NAME(...)
#define NAMED(Name, mnemonic, function) check(UnaryOperation::Name, std::function);
  DRUMLIN_UNARY_OPERATIONS(NO_NAME, NAMED, NAMED, NAMED)
#undef NO_NAME
#undef NAMED
  check(UnaryOperation::ExponentialMinusOne, std::expm1);
  check(UnaryOperation::LogPlusOne, std::log1p);
  check(UnaryOperation::Sqrt, std::sqrt);
  check(UnaryOperation::Cbrt, std::cbrt);
  check(UnaryOperation::Erfc, std::erfc);
  expectElements(unary(UnaryOperation::Log, make(F32, {0, -1, inf})), {-inf, quietNan, inf});
  expectElements(unary(UnaryOperation::Logistic, make(F32, {0, inf, -inf})), {0.5, 1, 0});
  expectElements(unary(UnaryOperation::Rsqrt, make(F32, {4, 0, -0.0, inf})), {0.5, inf, -inf, 0});
  expectElements(unary(UnaryOperation::Exponential, make(F64, {1})), {2.718281828459045});
}

TEST(Elementwise, ErfInverse) {
  expectElements(unary(UnaryOperation::ErfInv, make(F32, {0.0, -0.0, 1, -1, 2, quietNan})),
                 {0.0, -0.0, inf, -inf, quietNan, quietNan});
  std::vector<double> values{1e-30, 1e-9, 0.1, 0.5, 0.9, 0.999999, 1 - 0x1p-53};
  Result<Tensor> result = unary(UnaryOperation::ErfInv, make(F64, values));
  ASSERT_TRUE(bool(result));
  for (size_t i = 0; i < values.size(); ++i) {
    double x = elements(*result)[i];
    double error =
        values[i] < 0.5 ? std::erf(x) / values[i] - 1 : std::erfc(x) / (1 - values[i]) - 1;
    EXPECT_LT(std::fabs(error), 1e-14) << values[i];
  }
  // A published value: erfinv(0.5) = 0.47693627620446987338...
  EXPECT_EQ(elements(*result)[3], 0.47693627620446987);
}

// Published values: psi(1) is minus Euler's constant, zeta(2, 1) = pi^2/6, psi'(1) = pi^2/6.
TEST(Elementwise, SpecialFunctions) {
  expectElements(unary(UnaryOperation::Digamma, make(F64, {1, 0.5, -0.5, 100, 0, -2})),
                 {-0.5772156649015329, -1.9635100260214235, 0.03648997397857652, 4.600161852738087,
                  quietNan, quietNan});
  double squares = M_PI * M_PI / 6;
  expectElements(
      binary(BinaryOperation::Zeta, make(F32, {2, 1, 0.5, 2, 3}), make(F32, {1, 3, 1, -1, -1})),
      {static_cast<float>(squares), inf, quietNan, inf, quietNan});
  expectElements(
      binary(BinaryOperation::Polygamma, make(F32, {1, 2, 0, -1}), make(F32, {1, 1, 1, 1})),
      {static_cast<float>(squares), -2.4041138f, -0.5772157f, quietNan});
  expectElements(unary(UnaryOperation::BesselI1e, make(F64, {0, 1, -1, 50})),
                 {0, 0.20791041534970845, -0.20791041534970845, 0.0559931238928954});
}

// Below zero, the result is NaN at poles and in cases that XLA leaves undefined. NumericsTest
// compares the values with MPFR's.
TEST(Elementwise, ZetaBelowZero) {
  expectElements(
      binary(BinaryOperation::Zeta, make(F64, {2, 3, 2, 3, 2.5, 2, 1, 0, inf, 2, quietNan}),
             make(F64, {-0.0, 0, -3, -3, -0.5, -inf, -0.5, -1, 2, inf, 1})),
      {inf, quietNan, inf, quietNan, quietNan, inf, inf, quietNan, quietNan, quietNan, quietNan});
  expectElements(binary(BinaryOperation::Polygamma, make(F64, {1, 2, 1, 2, 0, 1}),
                        make(F64, {0, 0, -2, -2, -2, -inf})),
                 {inf, quietNan, inf, quietNan, quietNan, inf});
  // At half-integers, the terms of odd powers cancel in pairs of opposite signs; only the terms
  // without a counterpart remain.
  expectElements(
      binary(BinaryOperation::Zeta, make(F64, {3, 3}), make(F64, {-2.5, -1000000.5})),
      {elements(*binary(BinaryOperation::Zeta, make(F64, {3}), make(F64, {3.5})))[0],
       elements(*binary(BinaryOperation::Zeta, make(F64, {3}), make(F64, {1000001.5})))[0]});
  // The nearest term overflows and alone decides the result.
  expectElements(
      binary(BinaryOperation::Zeta, make(F64, {30001, 30000}), make(F64, {-0.25, -7.75})),
      {-inf, inf});
}

// For every number of every narrow type, the next number in both directions is its neighbour in the
// list of all numbers.
TEST(Elementwise, NeighboursOfNarrowTypes) {
  for (ElementType type : {F4E2M1FN, F6E2M3FN, F6E3M2FN, F8E3M4, F8E4M3, F8E4M3FN, F8E4M3FNUZ,
                           F8E4M3B11FNUZ, F8E5M2, F8E5M2FNUZ, F8E8M0FNU}) {
    std::vector<double> numbers;
    for (uint64_t pattern = 0; pattern < (uint64_t{1} << info(type).bits); ++pattern) {
      double number = decode(type, pattern);
      if (!std::isnan(number) &&
          std::find(numbers.begin(), numbers.end(), number) == numbers.end()) {
        numbers.push_back(number);
      }
    }
    std::sort(numbers.begin(), numbers.end());
    std::vector<double> from, to, expected;
    for (size_t i = 0; i < numbers.size(); ++i) {
      for (size_t j = 0; j < numbers.size(); ++j) {
        from.push_back(numbers[i]);
        to.push_back(numbers[j]);
        expected.push_back(numbers[i < j ? i + 1 : i > j ? i - 1 : i]);
      }
    }
    Result<Tensor> result = binary(BinaryOperation::NextAfter, make(type, from), make(type, to));
    ASSERT_TRUE(bool(result));
    std::vector<double> got = elements(*result);
    size_t wrong = 0;
    for (size_t i = 0; i < got.size(); ++i) {
      if (got[i] != expected[i] && ++wrong <= 3) {
        ADD_FAILURE() << name(type) << ": " << from[i] << " towards " << to[i] << " is " << got[i]
                      << ", expected " << expected[i];
      }
    }
    EXPECT_EQ(wrong, 0u) << name(type);
  }
}

TEST(Elementwise, NeighboursAndHighProducts) {
  expectElements(binary(BinaryOperation::NextAfter, make(BF16, {1, 1, 0, -0.0, 1, quietNan}),
                        make(BF16, {2, 0, -1, 1, 1, 1})),
                 {1.0078125, 0.99609375, -0x1p-133, 0x1p-133, 1, quietNan});
  expectElements(binary(BinaryOperation::NextAfter, make(F64, {-1}), make(F64, {inf})),
                 {std::nextafter(-1.0, 0.0)});
  expectElements(
      binary(BinaryOperation::Mulhi, make(SI8, {-128, 127, -1}), make(SI8, {-128, 127, 1})),
      {64, 63, -1});
  expectElements(binary(BinaryOperation::Mulhi, make(UI64, {0x1p63}), make(UI64, {6})), {3});
  expectElements(binary(BinaryOperation::Mulhi, make(SI64, {-0x1p62, -1}), make(SI64, {8, -1})),
                 {-2, 0});
  expectElements(unary(UnaryOperation::IsNegInf, make(F32, {-inf, inf, 1})), {1, 0, 0});
}

TEST(Elementwise, ComplexNumbers) {
  using Z = std::complex<double>;
  Tensor a = makeComplex(C64, {Z(1, 2), Z(0, 0)});
  Tensor b = makeComplex(C64, {Z(3, -1), Z(0, 1)});
  EXPECT_EQ(complexElements(*binary(BinaryOperation::Multiply, a, b)),
            (std::vector<Z>{Z(5, 5), Z(0, 0)}));
  EXPECT_EQ(complexElements(*binary(BinaryOperation::Subtract, a, b)),
            (std::vector<Z>{Z(-2, 3), Z(0, -1)}));
  EXPECT_EQ(complexElements(*binary(BinaryOperation::Maximum, a, b)),
            (std::vector<Z>{Z(3, -1), Z(0, 1)}));
  expectTensor(unary(UnaryOperation::Abs, makeComplex(C64, {Z(3, 4)})), F32, {1}, {5});
  expectTensor(unary(UnaryOperation::Imag, a), F32, {2}, {2, 0});
  expectTensor(unary(UnaryOperation::Real, makeComplex(C128, {Z(3, 4)})), F64, {1}, {3});
  Result<Tensor> made = binary(BinaryOperation::Complex, make(F32, {1}), make(F32, {2}));
  EXPECT_EQ(complexElements(*made), std::vector<Z>{Z(1, 2)});
  Result<Tensor> sign =
      unary(UnaryOperation::Sign, makeComplex(C64, {Z(0, 2), Z(quietNan, 0), Z(0, 0)}));
  EXPECT_EQ(complexElements(*sign)[0], Z(0, 1));
  EXPECT_TRUE(std::isnan(complexElements(*sign)[1].imag()));
  EXPECT_EQ(complexElements(*sign)[2], Z(0, 0));
  // exp(z) - 1 near zero keeps its digits.
  Result<Tensor> small =
      unary(UnaryOperation::ExponentialMinusOne, makeComplex(C128, {Z(1e-20, 1e-20)}));
  EXPECT_EQ(complexElements(*small)[0], Z(1e-20, 1e-20));
}

TEST(Elementwise, Compare) {
  Tensor a = make(F32, {quietNan, 1, -0.0, 2});
  Tensor b = make(F32, {quietNan, quietNan, 0.0, 1});
  expectTensor(compare(ComparisonDirection::EQ, ComparisonType::Natural, a, b), I1, {4},
               {0, 0, 1, 0});
  expectElements(compare(ComparisonDirection::NE, ComparisonType::Natural, a, b), {1, 1, 0, 1});
  expectElements(compare(ComparisonDirection::GE, ComparisonType::Natural, a, b), {0, 0, 1, 1});
  expectElements(compare(ComparisonDirection::LT, ComparisonType::TotalOrder, a, b), {0, 1, 1, 0});
  expectElements(compare(ComparisonDirection::EQ, ComparisonType::TotalOrder, a, b), {1, 0, 0, 0});
  Tensor order = make(F32, {-quietNan, -inf, -1, -0.0, 0.0, 1, inf});
  Tensor next = make(F32, {-inf, -1, -0.0, 0.0, 1, inf, quietNan});
  expectElements(compare(ComparisonDirection::LT, ComparisonType::TotalOrder, order, next),
                 {1, 1, 1, 1, 1, 1, 1});
  expectElements(
      compare(ComparisonDirection::LT, ComparisonType::Natural, make(UI8, {255}), make(UI8, {0})),
      {0});
  expectElements(
      compare(ComparisonDirection::LT, ComparisonType::Natural, make(SI8, {-1}), make(SI8, {0})),
      {1});
  using Z = std::complex<double>;
  expectElements(compare(ComparisonDirection::LT, ComparisonType::Natural,
                         makeComplex(C64, {Z(1, 2), Z(1, 2)}),
                         makeComplex(C64, {Z(1, 3), Z(0, 9)})),
                 {1, 0});
}

TEST(Elementwise, Select) {
  expectElements(select(make(I1, {1, 0}), make(SI16, {1, 2}), make(SI16, {3, 4})), {1, 4});
  expectElements(select(make(I1, {}, {0}), make(F64, {1, 2}), make(F64, {3, 4})), {3, 4});
}

// Floating point to integer truncates and saturates; integers wrap; NaN converts to 0 and true.
TEST(Elementwise, Convert) {
  expectTensor(convert(make(F32, {1.9, -1.9, 300, -300, quietNan, inf, -inf}), SI8), SI8, {7},
               {1, -1, 127, -128, 0, 127, -128});
  expectElements(convert(make(F32, {-1, 0x1p40, 255.5}), UI8), {0, 255, 255});
  expectElements(convert(make(F64, {0x1p63, -0x1p63, 0x1p70}), SI64), {0x1p63, -0x1p63, 0x1p63});
  expectElements(convert(make(SI32, {300, -1}), UI8), {44, 255});
  expectElements(convert(make(SI32, {7, 9}), SI4), {7, -7});
  expectElements(convert(make(UI8, {255}), SI8), {-1});
  expectElements(convert(make(F32, {quietNan, 0.5, -0.0}), I1), {1, 1, 0});
  expectElements(convert(make(SI8, {2, 0}), I1), {1, 0});
  expectElements(convert(make(I1, {1, 0}), BF16), {1, 0});
  expectElements(convert(make(F32, {1e9, 1 + 0x1p-20}), F16), {inf, 1});
  expectElements(convert(make(F32, {0x1p-133, 0x1.8p-134}), BF16), {0x1p-133, 0x1p-133});
  expectElements(convert(make(F32, {449, 1e6}), F8E4M3FN), {448, quietNan});
  // The midpoint of two f32 numbers, plus 1. A conversion through double would lose the added 1.
  Tensor large(SI64, {1});
  *large.as<int64_t>() = (int64_t{1} << 60) + (int64_t{1} << 36) + 1;
  expectElements(convert(large, F32), {0x1p60 + 0x1p37});
  using Z = std::complex<double>;
  expectElements(convert(makeComplex(C64, {Z(2.5, 7)}), SI32), {2});
  EXPECT_EQ(complexElements(*convert(make(F32, {2.5}), C128)), std::vector<Z>{Z(2.5, 0)});
}

TEST(Elementwise, BitcastConvert) {
  KernelOptions options;
  expectElements(bitcastConvert(make(F32, {1, -0.0}), UI32, {2}, options),
                 {0x3f800000, 0x80000000});
  expectElements(bitcastConvert(make(UI32, {0x01020304}), UI8, {1, 4}, options), {4, 3, 2, 1});
  expectElements(bitcastConvert(make(UI8, {1, 4}, {4, 3, 2, 1}), UI32, {1}, options), {0x01020304});
  expectElements(bitcastConvert(make(UI8, {0x9f}), SI4, {1, 2}, options), {-1, -7});
  expectElements(bitcastConvert(make(SI4, {1, 2}, {-1, -7}), UI8, {1}, options), {0x9f});
  expectElements(bitcastConvert(make(F64, {1}), UI32, {1, 2}, options), {0, 0x3ff00000});
}

TEST(Elementwise, ReducePrecision) {
  Tensor values = make(F64, {inf, quietNan, 5e-324, 0.0, 65505, 65520, -65520});
  expectElements(reducePrecision(values, 5, 10), {inf, quietNan, 0.0, 0.0, 65504, inf, -inf});
  expectElements(reducePrecision(make(F32, {1.5, 2.5, 3.5, quietNan}), 8, 0), {2, 2, 4, inf});
  expectElements(reducePrecision(make(F32, {0x1p-14, 0x1.8p-15, -0x1p-15}), 5, 10),
                 {0x1p-14, 0, -0.0});
  expectElements(reducePrecision(make(BF16, {1.0078125}), 8, 6), {1});
}

// Lengths that end in the middle of a block, and zero.
TEST(Elementwise, LongAndEmptyTensors) {
  Tensor ones = make(F32, {1300}, std::vector<double>(1300, 1));
  expectElements(binary(BinaryOperation::Add, ones, make(F32, {}, {2})),
                 std::vector<double>(1300, 3));
  expectTensor(binary(BinaryOperation::Add, make(F32, {0, 3}, {}), make(F32, {0, 3}, {})), F32,
               {0, 3}, {});
}
