// One small function object per operation of one operand. An object is callable with the value
// types (Elements.h) that the specification allows for its operation. `wide` marks those computed
// in long double for f64.
#pragma once

#include "drumlin/interpreter/kernels/Elements.h"
#include "drumlin/interpreter/kernels/SpecialFunctions.h"

#include <bit>
#include <cmath>

namespace drumlin::interpreter {

struct UnaryFunction {
  explicit UnaryFunction(ElementType type) : bits(info(type).bits) {}
  unsigned bits; // of the operand's elements
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
  // Zeros keep their sign and NaN stays NaN.
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

// The parts of a real number are itself and zero.
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

// Wide, so that squares of large parts still cancel; a real number's is rounded once.
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
  // The default rounding mode, which nothing here changes, is to nearest even.
  template <RealValue T> T operator()(T x) const { return std::nearbyint(x); }
};

// Functions of real numbers only.
#define DRUMLIN_REAL_FUNCTION(Name, Base, expression)                                              \
  struct Name##Function : Base {                                                                   \
    using Base::Base;                                                                              \
    template <RealValue T> T operator()(T x) const { return expression; }                          \
  };
DRUMLIN_REAL_FUNCTION(Ceil, UnaryFunction, std::ceil(x))
DRUMLIN_REAL_FUNCTION(Floor, UnaryFunction, std::floor(x))
DRUMLIN_REAL_FUNCTION(RoundNearestAfz, UnaryFunction, std::round(x))
DRUMLIN_REAL_FUNCTION(Erf, WideUnaryFunction, std::erf(x))
DRUMLIN_REAL_FUNCTION(ErfInv, WideUnaryFunction, static_cast<T>(erfInverse(x)))
DRUMLIN_REAL_FUNCTION(Digamma, WideUnaryFunction, static_cast<T>(digamma(x)))
DRUMLIN_REAL_FUNCTION(Lgamma, WideUnaryFunction, std::lgamma(x))
#undef DRUMLIN_REAL_FUNCTION

// Functions that the standard library has for real and complex numbers.
#define DRUMLIN_ANALYTIC_FUNCTION(Name, function)                                                  \
  struct Name##Function : WideUnaryFunction {                                                      \
    using WideUnaryFunction::WideUnaryFunction;                                                    \
    template <RealValue T> T operator()(T x) const { return function(x); }                         \
    template <RealValue T> std::complex<T> operator()(std::complex<T> x) const {                   \
      return function(x);                                                                          \
    }                                                                                              \
  };
DRUMLIN_ANALYTIC_FUNCTION(Acos, std::acos)
DRUMLIN_ANALYTIC_FUNCTION(Acosh, std::acosh)
DRUMLIN_ANALYTIC_FUNCTION(Asin, std::asin)
DRUMLIN_ANALYTIC_FUNCTION(Asinh, std::asinh)
DRUMLIN_ANALYTIC_FUNCTION(Atan, std::atan)
DRUMLIN_ANALYTIC_FUNCTION(Atanh, std::atanh)
DRUMLIN_ANALYTIC_FUNCTION(Cosh, std::cosh)
DRUMLIN_ANALYTIC_FUNCTION(Cosine, std::cos)
DRUMLIN_ANALYTIC_FUNCTION(Exponential, std::exp)
DRUMLIN_ANALYTIC_FUNCTION(Log, std::log)
DRUMLIN_ANALYTIC_FUNCTION(Sine, std::sin)
DRUMLIN_ANALYTIC_FUNCTION(Sinh, std::sinh)
DRUMLIN_ANALYTIC_FUNCTION(Tan, std::tan)
DRUMLIN_ANALYTIC_FUNCTION(Tanh, std::tanh)
#undef DRUMLIN_ANALYTIC_FUNCTION

// In double, which holds every real operand: IEEE 754's square root rounds once.
struct SqrtFunction : WideUnaryFunction {
  using WideUnaryFunction::WideUnaryFunction;
  template <RealValue T> T operator()(T x) const { return std::sqrt(static_cast<double>(x)); }
  template <RealValue T> std::complex<T> operator()(std::complex<T> x) const {
    return std::sqrt(x);
  }
};

// Positive everywhere but at infinity: a type without zero (f8E8M0FNU) has a number for what
// underflows.
struct ErfcFunction : WideUnaryFunction {
  using WideUnaryFunction::WideUnaryFunction;
  template <RealValue T> T operator()(T x) const {
    T result = std::erfc(x);
    return result == 0 && std::isfinite(x) ? std::numeric_limits<T>::denorm_min() : result;
  }
};

// exp(-|x|) I1(x) is x / 2 (1 - |x| + ...): where the second term is lost, it still says on which
// side of x / 2 the result lies, and x / 2 may be halfway between two numbers of the element type.
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
  // The principal root: a third of the argument.
  template <RealValue T> std::complex<T> operator()(std::complex<T> x) const {
    T length = std::cbrt(std::abs(x));
    T angle = std::arg(x) / 3;
    return {length * std::cos(angle), length * std::sin(angle)};
  }
};

struct ExponentialMinusOneFunction : WideUnaryFunction {
  using WideUnaryFunction::WideUnaryFunction;
  template <RealValue T> T operator()(T x) const { return std::expm1(x); }
  // exp(a)cos(b) - 1 = expm1(a)cos(b) - 2sin(b/2)^2 loses nothing where both parts are small.
  template <RealValue T> std::complex<T> operator()(std::complex<T> x) const {
    T half = std::sin(x.imag() / 2);
    T imaginary = x.imag() == 0 ? x.imag() : std::exp(x.real()) * std::sin(x.imag());
    return {std::expm1(x.real()) * std::cos(x.imag()) - 2 * half * half, imaginary};
  }
};

struct LogPlusOneFunction : WideUnaryFunction {
  using WideUnaryFunction::WideUnaryFunction;
  template <RealValue T> T operator()(T x) const { return std::log1p(x); }
  // |1 + z|^2 - 1 = a(2 + a) + b^2 loses nothing where z is small; elsewhere the plain logarithm
  // can't overflow.
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

} // namespace drumlin::interpreter
