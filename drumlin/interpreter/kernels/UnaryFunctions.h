// The unary operations, each with one table line and a small function object. An object is callable
// with the value types (Elements.h) that the specification allows for its operation. `wide` marks
// the operations that are computed in long double for f64.
#pragma once

#include "drumlin/interpreter/kernels/Elements.h"
#include "drumlin/interpreter/kernels/SpecialFunctions.h"

#include <bit>
#include <cmath>

namespace drumlin::interpreter {

// The unary operations of StableHLO and CHLO, grouped by how they are computed:
//   ANALYTIC(Name, mnemonic, function)  for real and complex numbers, by the standard library
//                                       function; tests compare with MPFR's and MPC's function
//   REAL(Name, mnemonic, function)      likewise, for real numbers only
//   ROUNDING(Name, mnemonic, function)  likewise, rounding to an integer; MPFR's function is
//                                       `mpfr_rint_function`
//   OWN(Name, mnemonic)                 by the struct NameFunction below; the reference in tests is
//                                       a line of ExactReal.cpp and one of ExactComplex.cpp
#define DRUMLIN_UNARY_OPERATIONS(OWN, ANALYTIC, REAL, ROUNDING)                                    \
  OWN(Abs, "abs")                                                                                  \
  OWN(Cbrt, "cbrt")                                                                                \
  ROUNDING(Ceil, "ceil", ceil)                                                                     \
  OWN(CountLeadingZeros, "count_leading_zeros")                                                    \
  ANALYTIC(Cosine, "cosine", cos)                                                                  \
  ANALYTIC(Exponential, "exponential", exp)                                                        \
  OWN(ExponentialMinusOne, "exponential_minus_one")                                                \
  ROUNDING(Floor, "floor", floor)                                                                  \
  OWN(Imag, "imag")                                                                                \
  OWN(IsFinite, "is_finite")                                                                       \
  ANALYTIC(Log, "log", log)                                                                        \
  OWN(LogPlusOne, "log_plus_one")                                                                  \
  OWN(Logistic, "logistic")                                                                        \
  OWN(Negate, "negate")                                                                            \
  OWN(Not, "not")                                                                                  \
  OWN(Popcnt, "popcnt")                                                                            \
  OWN(Real, "real")                                                                                \
  ROUNDING(RoundNearestAfz, "round_nearest_afz", round)                                            \
  OWN(RoundNearestEven, "round_nearest_even")                                                      \
  OWN(Rsqrt, "rsqrt")                                                                              \
  OWN(Sign, "sign")                                                                                \
  ANALYTIC(Sine, "sine", sin)                                                                      \
  OWN(Sqrt, "sqrt")                                                                                \
  ANALYTIC(Tan, "tan", tan)                                                                        \
  ANALYTIC(Tanh, "tanh", tanh)                                                                     \
  REAL(Erf, "erf", erf)                                                                            \
  OWN(Erfc, "erfc")                                                                                \
  OWN(ErfInv, "erf_inv")                                                                           \
  ANALYTIC(Acos, "acos", acos)                                                                     \
  ANALYTIC(Acosh, "acosh", acosh)                                                                  \
  ANALYTIC(Asin, "asin", asin)                                                                     \
  ANALYTIC(Asinh, "asinh", asinh)                                                                  \
  ANALYTIC(Atan, "atan", atan)                                                                     \
  ANALYTIC(Atanh, "atanh", atanh)                                                                  \
  ANALYTIC(Cosh, "cosh", cosh)                                                                     \
  ANALYTIC(Sinh, "sinh", sinh)                                                                     \
  OWN(AsinAcosKernel, "_asin_acos_kernel")                                                         \
  OWN(BesselI1e, "bessel_i1e")                                                                     \
  OWN(Conj, "conj")                                                                                \
  OWN(Digamma, "digamma")                                                                          \
  OWN(IsInf, "is_inf")                                                                             \
  OWN(IsNegInf, "is_neg_inf")                                                                      \
  OWN(IsPosInf, "is_pos_inf")                                                                      \
  OWN(Lgamma, "lgamma")                                                                            \
  OWN(Square, "square")

enum class UnaryOperation : uint8_t {
#define X(Name, ...) Name,
  DRUMLIN_UNARY_OPERATIONS(X, X, X, X)
#undef X
};

struct UnaryFunction {
  explicit UnaryFunction(ElementType type) : bits(info(type).bits) {}
  unsigned bits; // bits of an operand element
  static constexpr bool wide = false;
};
struct WideUnaryFunction : UnaryFunction {
  using UnaryFunction::UnaryFunction;
  static constexpr bool wide = true;
};

struct AbsFunction : WideUnaryFunction {
  using WideUnaryFunction::WideUnaryFunction;
  template <UnsignedValue T> T operator()(T x) const { return x; }
  template <SignedValue T> T operator()(T x) const {
    return x < 0 ? static_cast<int64_t>(-static_cast<uint64_t>(x)) : x;
  }
  template <RealValue T> T operator()(T x) const { return std::fabs(x); }
  template <RealValue T> T operator()(std::complex<T> x) const {
    return std::hypot(x.real(), x.imag());
  }
};

struct NegateFunction : UnaryFunction {
  using UnaryFunction::UnaryFunction;
  template <SignedValue T> T operator()(T x) const {
    return static_cast<int64_t>(-static_cast<uint64_t>(x));
  }
  template <UnsignedValue T> T operator()(T x) const { return -x; }
  template <RealValue T> T operator()(T x) const { return -x; }
  template <RealValue T> std::complex<T> operator()(std::complex<T> x) const { return -x; }
};

struct NotFunction : UnaryFunction {
  using UnaryFunction::UnaryFunction;
  template <BoolValue T> T operator()(T x) const { return !x; }
  template <SignedValue T> T operator()(T x) const { return ~x; }
  template <UnsignedValue T> T operator()(T x) const { return ~x; }
};

struct SignFunction : WideUnaryFunction {
  using WideUnaryFunction::WideUnaryFunction;
  template <UnsignedValue T> T operator()(T x) const { return x != 0; }
  template <SignedValue T> T operator()(T x) const { return (x > 0) - (x < 0); }
  // Zeros keep their sign, and NaN stays NaN.
  template <RealValue T> T operator()(T x) const { return x > 0 ? T(1) : x < 0 ? T(-1) : x; }
  template <RealValue T> std::complex<T> operator()(std::complex<T> x) const {
    if (std::isnan(x.real()) || std::isnan(x.imag())) {
      T nan = std::numeric_limits<T>::quiet_NaN();
      return {nan, nan};
    }
    T length = std::hypot(x.real(), x.imag());
    return length == 0 ? x : std::complex<T>(x.real() / length, x.imag() / length);
  }
};

struct PopcntFunction : UnaryFunction {
  using UnaryFunction::UnaryFunction;
  template <SignedValue T> T operator()(T x) const {
    return std::popcount(wrap(static_cast<uint64_t>(x), bits));
  }
  template <UnsignedValue T> T operator()(T x) const {
    return static_cast<uint64_t>(std::popcount(x));
  }
};

struct CountLeadingZerosFunction : UnaryFunction {
  using UnaryFunction::UnaryFunction;
  int64_t count(uint64_t x) const { return std::countl_zero(x) - static_cast<int64_t>(64 - bits); }
  template <SignedValue T> T operator()(T x) const {
    return count(wrap(static_cast<uint64_t>(x), bits));
  }
  template <UnsignedValue T> T operator()(T x) const { return static_cast<uint64_t>(count(x)); }
};

struct IsFiniteFunction : UnaryFunction {
  using UnaryFunction::UnaryFunction;
  template <RealValue T> bool operator()(T x) const { return std::isfinite(x); }
};

// The real part of a real number is the number itself; the imaginary part is zero.
struct RealFunction : UnaryFunction {
  using UnaryFunction::UnaryFunction;
  template <RealValue T> T operator()(T x) const { return x; }
  template <RealValue T> T operator()(std::complex<T> x) const { return x.real(); }
};
struct ImagFunction : UnaryFunction {
  using UnaryFunction::UnaryFunction;
  template <RealValue T> T operator()(T) const { return T(0); }
  template <RealValue T> T operator()(std::complex<T> x) const { return x.imag(); }
};

// Computed in the wider type, so that the squares of large real and imaginary parts still cancel. A
// real number's square is rounded once.
struct SquareFunction : WideUnaryFunction {
  using WideUnaryFunction::WideUnaryFunction;
  template <SignedValue T> T operator()(T x) const {
    return static_cast<int64_t>(static_cast<uint64_t>(x) * static_cast<uint64_t>(x));
  }
  template <UnsignedValue T> T operator()(T x) const { return x * x; }
  template <RealValue T> T operator()(T x) const {
    auto value = static_cast<double>(x);
    return value * value;
  }
  template <RealValue T> std::complex<T> operator()(std::complex<T> x) const {
    return {x.real() * x.real() - x.imag() * x.imag(), 2 * x.real() * x.imag()};
  }
};

struct ConjFunction : UnaryFunction {
  using UnaryFunction::UnaryFunction;
  template <IntegerValue T> T operator()(T x) const { return x; }
  template <RealValue T> T operator()(T x) const { return x; }
  template <RealValue T> std::complex<T> operator()(std::complex<T> x) const {
    return {x.real(), -x.imag()};
  }
};

struct IsInfFunction : UnaryFunction {
  using UnaryFunction::UnaryFunction;
  template <RealValue T> bool operator()(T x) const { return std::isinf(x); }
};
struct IsPosInfFunction : UnaryFunction {
  using UnaryFunction::UnaryFunction;
  template <RealValue T> bool operator()(T x) const { return std::isinf(x) && x > 0; }
};
struct IsNegInfFunction : UnaryFunction {
  using UnaryFunction::UnaryFunction;
  template <RealValue T> bool operator()(T x) const { return std::isinf(x) && x < 0; }
};

struct RoundNearestEvenFunction : UnaryFunction {
  using UnaryFunction::UnaryFunction;
  // Rounds to nearest even, the default rounding mode, which nothing here changes.
  template <RealValue T> T operator()(T x) const { return std::nearbyint(x); }
};

struct ErfInvFunction : WideUnaryFunction {
  using WideUnaryFunction::WideUnaryFunction;
  template <RealValue T> T operator()(T x) const { return static_cast<T>(erfInverse(x)); }
};
struct DigammaFunction : WideUnaryFunction {
  using WideUnaryFunction::WideUnaryFunction;
  template <RealValue T> T operator()(T x) const { return static_cast<T>(digamma(x)); }
};
struct LgammaFunction : WideUnaryFunction {
  using WideUnaryFunction::WideUnaryFunction;
  template <RealValue T> T operator()(T x) const { return std::lgamma(x); }
};

#define DRUMLIN_NO_FUNCTION(...)
#define DRUMLIN_ANALYTIC_FUNCTION(Name, mnemonic, function)                                        \
  struct Name##Function : WideUnaryFunction {                                                      \
    using WideUnaryFunction::WideUnaryFunction;                                                    \
    template <RealValue T> T operator()(T x) const { return std::function(x); }                    \
    template <RealValue T> std::complex<T> operator()(std::complex<T> x) const {                   \
      return std::function(x);                                                                     \
    }                                                                                              \
  };
#define DRUMLIN_REAL_FUNCTION(Name, mnemonic, function)                                            \
  struct Name##Function : WideUnaryFunction {                                                      \
    using WideUnaryFunction::WideUnaryFunction;                                                    \
    template <RealValue T> T operator()(T x) const { return std::function(x); }                    \
  };
DRUMLIN_UNARY_OPERATIONS(DRUMLIN_NO_FUNCTION, DRUMLIN_ANALYTIC_FUNCTION, DRUMLIN_REAL_FUNCTION,
                         DRUMLIN_REAL_FUNCTION)
#undef DRUMLIN_NO_FUNCTION
#undef DRUMLIN_ANALYTIC_FUNCTION
#undef DRUMLIN_REAL_FUNCTION

// Computes in double, which holds every real operand: IEEE 754's square root rounds once.
struct SqrtFunction : WideUnaryFunction {
  using WideUnaryFunction::WideUnaryFunction;
  template <RealValue T> T operator()(T x) const { return std::sqrt(static_cast<double>(x)); }
  template <RealValue T> std::complex<T> operator()(std::complex<T> x) const {
    return std::sqrt(x);
  }
};

// The result is positive except at infinity: a type without zero (f8E8M0FNU) rounds an underflow to
// its least number.
struct ErfcFunction : WideUnaryFunction {
  using WideUnaryFunction::WideUnaryFunction;
  template <RealValue T> T operator()(T x) const {
    T result = std::erfc(x);
    return result == 0 && std::isfinite(x) ? std::numeric_limits<T>::denorm_min() : result;
  }
};

// exp(-|x|) I1(x) is x / 2 (1 - |x| + ...). Even if the second term is too small to change the sum,
// it decides on which side of x / 2 the result is, and x / 2 may be a rounding boundary of the
// type.
struct BesselI1eFunction : WideUnaryFunction {
  using WideUnaryFunction::WideUnaryFunction;
  template <RealValue T> T operator()(T x) const {
    auto result = static_cast<T>(besselI1e(x));
    return result == x / 2 && x != 0 ? std::nextafter(result, T(0)) : result;
  }
};

struct CbrtFunction : WideUnaryFunction {
  using WideUnaryFunction::WideUnaryFunction;
  template <RealValue T> T operator()(T x) const { return std::cbrt(x); }
  // Returns the principal cube root, whose argument is a third of the operand's.
  template <RealValue T> std::complex<T> operator()(std::complex<T> x) const {
    T length = std::cbrt(std::abs(x));
    T angle = std::arg(x) / 3;
    return {length * std::cos(angle), length * std::sin(angle)};
  }
};

// The helper w from which the reference computes asin z and acos z: the real part of asin z is
// atan2(re z, re w), and its imaginary part is im w with the sign of im z. So re w is the real part
// of sqrt(1 - z) * sqrt(1 + z), a sum of two terms with the same sign (W. Kahan, "Branch cuts for
// complex elementary functions", 1987), and im w is |im asin z|.
struct AsinAcosKernelFunction : WideUnaryFunction {
  using WideUnaryFunction::WideUnaryFunction;
  template <RealValue T> std::complex<T> operator()(std::complex<T> z) const {
    T imaginary = std::fabs(std::asin(z).imag());
    if (std::isinf(z.real()) || std::isinf(z.imag())) {
      return {std::isnan(z.real()) ? z.real() : std::fabs(z.imag()), imaginary};
    }
    std::complex<T> below = std::sqrt(T(1) - z), above = std::sqrt(T(1) + z);
    return {below.real() * above.real() + std::fabs(below.imag() * above.imag()), imaginary};
  }
};

struct ExponentialMinusOneFunction : WideUnaryFunction {
  using WideUnaryFunction::WideUnaryFunction;
  template <RealValue T> T operator()(T x) const { return std::expm1(x); }
  // exp(a)cos(b) - 1 = expm1(a)cos(b) - 2sin(b/2)^2 loses no digits if a and b are small.
  template <RealValue T> std::complex<T> operator()(std::complex<T> x) const {
    T half = std::sin(x.imag() / 2);
    T imaginary = x.imag() == 0 ? x.imag() : std::exp(x.real()) * std::sin(x.imag());
    return {std::expm1(x.real()) * std::cos(x.imag()) - 2 * half * half, imaginary};
  }
};

struct LogPlusOneFunction : WideUnaryFunction {
  using WideUnaryFunction::WideUnaryFunction;
  template <RealValue T> T operator()(T x) const { return std::log1p(x); }
  // If z is small, uses |1 + z|^2 - 1 = a(2 + a) + b^2, which loses no digits. The plain logarithm
  // of any other z can't overflow.
  template <RealValue T> std::complex<T> operator()(std::complex<T> x) const {
    if (std::fabs(x.real()) < T(0.5) && std::fabs(x.imag()) < T(0.5)) {
      T squared = x.real() * (2 + x.real()) + x.imag() * x.imag();
      return {std::log1p(squared) / 2, std::atan2(x.imag(), 1 + x.real())};
    }
    return std::log(std::complex<T>(1 + x.real(), x.imag()));
  }
};

struct LogisticFunction : WideUnaryFunction {
  using WideUnaryFunction::WideUnaryFunction;
  template <RealValue T> T operator()(T x) const { return 1 / (1 + std::exp(-x)); }
  template <RealValue T> std::complex<T> operator()(std::complex<T> x) const {
    return T(1) / (T(1) + std::exp(-x));
  }
};

struct RsqrtFunction : WideUnaryFunction {
  using WideUnaryFunction::WideUnaryFunction;
  template <RealValue T> T operator()(T x) const { return 1 / std::sqrt(x); }
  template <RealValue T> std::complex<T> operator()(std::complex<T> x) const {
    return T(1) / std::sqrt(x);
  }
};

// Calls `fn` with the operation's function object for elements of `type`.
template <typename Fn> auto withUnaryFunction(UnaryOperation operation, ElementType type, Fn fn) {
  switch (operation) {
#define X(Name, ...)                                                                               \
  case UnaryOperation::Name:                                                                       \
    return fn(Name##Function(type));
    DRUMLIN_UNARY_OPERATIONS(X, X, X, X)
#undef X
  }
  return fn(AbsFunction(type));
}

} // namespace drumlin::interpreter
