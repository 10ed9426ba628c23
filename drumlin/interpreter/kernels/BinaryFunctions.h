// The binary operations, each with one table line and a small function object, and the lookup of
// the function object for an operation. Shared by the elementwise kernels and the reductions.
#pragma once

#include "drumlin/interpreter/kernels/Elements.h"
#include "drumlin/interpreter/kernels/SpecialFunctions.h"

#include <cmath>
#include <limits>

namespace drumlin::interpreter {

// X(Name, mnemonic): the binary operations of StableHLO and CHLO.
#define DRUMLIN_BINARY_OPERATIONS(X)                                                               \
  X(Add, "add")                                                                                    \
  X(And, "and")                                                                                    \
  X(Atan2, "atan2")                                                                                \
  X(Complex, "complex")                                                                            \
  X(Divide, "divide")                                                                              \
  X(Maximum, "maximum")                                                                            \
  X(Minimum, "minimum")                                                                            \
  X(Multiply, "multiply")                                                                          \
  X(Or, "or")                                                                                      \
  X(Power, "power")                                                                                \
  X(Remainder, "remainder")                                                                        \
  X(ShiftLeft, "shift_left")                                                                       \
  X(ShiftRightArithmetic, "shift_right_arithmetic")                                                \
  X(ShiftRightLogical, "shift_right_logical")                                                      \
  X(Subtract, "subtract")                                                                          \
  X(Xor, "xor")                                                                                    \
  X(Mulhi, "mulhi")                                                                                \
  X(NextAfter, "next_after")                                                                       \
  X(Polygamma, "polygamma")                                                                        \
  X(Zeta, "zeta")

enum class BinaryOperation : uint8_t {
#define X(Name, mnemonic) Name,
  DRUMLIN_BINARY_OPERATIONS(X)
#undef X
};

struct BinaryFunction {
  explicit BinaryFunction(ElementType type) : bits(info(type).bits) {}
  unsigned bits; // bits of an operand element
  static constexpr bool wide = false;
};

struct AddFunction : BinaryFunction {
  using BinaryFunction::BinaryFunction;
  template <BoolValue T> T operator()(T a, T b) const { return a || b; }
  template <IntegerValue T> T operator()(T a, T b) const {
    return static_cast<T>(static_cast<uint64_t>(a) + static_cast<uint64_t>(b));
  }
  template <RealValue T> T operator()(T a, T b) const { return a + b; }
  template <RealValue T> std::complex<T> operator()(std::complex<T> a, std::complex<T> b) const {
    return a + b;
  }
};

struct SubtractFunction : BinaryFunction {
  using BinaryFunction::BinaryFunction;
  template <IntegerValue T> T operator()(T a, T b) const {
    return static_cast<T>(static_cast<uint64_t>(a) - static_cast<uint64_t>(b));
  }
  template <RealValue T> T operator()(T a, T b) const { return a - b; }
  template <RealValue T> std::complex<T> operator()(std::complex<T> a, std::complex<T> b) const {
    return a - b;
  }
};

struct MultiplyFunction : BinaryFunction {
  using BinaryFunction::BinaryFunction;
  template <BoolValue T> T operator()(T a, T b) const { return a && b; }
  template <IntegerValue T> T operator()(T a, T b) const {
    return static_cast<T>(static_cast<uint64_t>(a) * static_cast<uint64_t>(b));
  }
  template <RealValue T> T operator()(T a, T b) const { return a * b; }
  // Uses the plain formula: std::complex would repair infinities.
  template <RealValue T> std::complex<T> operator()(std::complex<T> a, std::complex<T> b) const {
    return {a.real() * b.real() - a.imag() * b.imag(), a.real() * b.imag() + a.imag() * b.real()};
  }
};

struct DivideFunction : BinaryFunction {
  using BinaryFunction::BinaryFunction;
  static constexpr bool wide = false;
  template <SignedValue T> T operator()(T a, T b) const {
    if (b == 0) {
      return -1;
    }
    // Negates as unsigned, so that the least number divided by -1 wraps to itself.
    return b == -1 ? static_cast<int64_t>(-static_cast<uint64_t>(a)) : a / b;
  }
  template <UnsignedValue T> T operator()(T a, T b) const { return b == 0 ? ~uint64_t{0} : a / b; }
  template <RealValue T> T operator()(T a, T b) const { return a / b; }
  template <RealValue T> std::complex<T> operator()(std::complex<T> a, std::complex<T> b) const {
    return a / b;
  }
};

struct RemainderFunction : BinaryFunction {
  using BinaryFunction::BinaryFunction;
  template <SignedValue T> T operator()(T a, T b) const { return b == 0 ? a : b == -1 ? 0 : a % b; }
  template <UnsignedValue T> T operator()(T a, T b) const { return b == 0 ? a : a % b; }
  // The remainder is exact and has the sign of the dividend.
  template <RealValue T> T operator()(T a, T b) const { return std::fmod(a, b); }
};

struct PowerFunction : BinaryFunction {
  using BinaryFunction::BinaryFunction;
  static constexpr bool wide = true;
  // Squares repeatedly, modulo 2^64; the low bits are then correct for any narrower type. A
  // negative exponent gives 0 except for the bases 1 and -1.
  template <IntegerValue T> T operator()(T base, T exponent) const {
    if constexpr (std::is_signed_v<T>) {
      if (exponent < 0) {
        return base == 1 ? 1 : base == -1 ? (exponent % 2 == 0 ? 1 : -1) : 0;
      }
    }
    uint64_t result = 1;
    uint64_t factor = static_cast<uint64_t>(base);
    for (uint64_t rest = static_cast<uint64_t>(exponent); rest != 0; rest >>= 1) {
      result *= (rest & 1) != 0 ? factor : 1;
      factor *= factor;
    }
    return static_cast<T>(result);
  }
  // For an exponent of -2^63, the C library's powl negates the exponent as an integer, which
  // overflows.
  template <RealValue T> T operator()(T a, T b) const {
    if (b == T(-0x1p63)) {
      T root = std::pow(a, b / 2);
      return root * root;
    }
    T power = std::pow(a, b);
    // A power that underflows must not become zero: f8E8M0FNU, which has no zero, rounds it to its
    // least number.
    bool isLost = power == 0 && a > 0 && std::isfinite(a) && std::isfinite(b);
    return isLost ? std::numeric_limits<T>::denorm_min() : power;
  }
  // Computes exp(b log a). If a is zero, log a is undefined, and the result is the power's limit.
  template <RealValue T> std::complex<T> operator()(std::complex<T> a, std::complex<T> b) const {
    if (a == T(0)) {
      if (b == T(0)) {
        return T(1);
      }
      if (b.real() > 0) {
        return T(0);
      }
    }
    return std::pow(a, b);
  }
};

struct Atan2Function : BinaryFunction {
  using BinaryFunction::BinaryFunction;
  static constexpr bool wide = true;
  template <RealValue T> T operator()(T y, T x) const { return std::atan2(y, x); }
  // Computes -i log((x + iy) / sqrt(x^2 + y^2)).
  template <RealValue T> std::complex<T> operator()(std::complex<T> y, std::complex<T> x) const {
    std::complex<T> i(0, 1);
    return -i * std::log((x + i * y) / std::sqrt(x * x + y * y));
  }
};

// IEEE 754-2019 maximum and minimum: NaN wins, and +0 is greater than -0. Complex numbers are
// ordered by (real, imaginary).
struct MaximumFunction : BinaryFunction {
  using BinaryFunction::BinaryFunction;
  template <BoolValue T> T operator()(T a, T b) const { return a || b; }
  template <IntegerValue T> T operator()(T a, T b) const { return a > b ? a : b; }
  template <RealValue T> T operator()(T a, T b) const {
    if (std::isnan(a) || std::isnan(b)) {
      return std::isnan(a) ? a : b;
    }
    return a == b ? (std::signbit(a) ? b : a) : (a > b ? a : b);
  }
  template <RealValue T> std::complex<T> operator()(std::complex<T> a, std::complex<T> b) const {
    bool first = a.real() == b.real() ? a.imag() > b.imag() : a.real() > b.real();
    return first ? a : b;
  }
};

struct MinimumFunction : BinaryFunction {
  using BinaryFunction::BinaryFunction;
  template <BoolValue T> T operator()(T a, T b) const { return a && b; }
  template <IntegerValue T> T operator()(T a, T b) const { return a < b ? a : b; }
  template <RealValue T> T operator()(T a, T b) const {
    if (std::isnan(a) || std::isnan(b)) {
      return std::isnan(a) ? a : b;
    }
    return a == b ? (std::signbit(a) ? a : b) : (a < b ? a : b);
  }
  template <RealValue T> std::complex<T> operator()(std::complex<T> a, std::complex<T> b) const {
    bool first = a.real() == b.real() ? a.imag() < b.imag() : a.real() < b.real();
    return first ? a : b;
  }
};

struct AndFunction : BinaryFunction {
  using BinaryFunction::BinaryFunction;
  template <BoolValue T> T operator()(T a, T b) const { return a && b; }
  template <IntegerValue T> T operator()(T a, T b) const { return a & b; }
};
struct OrFunction : BinaryFunction {
  using BinaryFunction::BinaryFunction;
  template <BoolValue T> T operator()(T a, T b) const { return a || b; }
  template <IntegerValue T> T operator()(T a, T b) const { return a | b; }
};
struct XorFunction : BinaryFunction {
  using BinaryFunction::BinaryFunction;
  template <BoolValue T> T operator()(T a, T b) const { return a != b; }
  template <IntegerValue T> T operator()(T a, T b) const { return a ^ b; }
};

// Shift amounts are unsigned: a negative amount, sign-extended to 64 bits, exceeds any width.
struct ShiftLeftFunction : BinaryFunction {
  using BinaryFunction::BinaryFunction;
  template <IntegerValue T> T operator()(T a, T amount) const {
    uint64_t by = static_cast<uint64_t>(amount);
    return by >= bits ? T(0) : static_cast<T>(static_cast<uint64_t>(a) << by);
  }
};
struct ShiftRightLogicalFunction : BinaryFunction {
  using BinaryFunction::BinaryFunction;
  template <IntegerValue T> T operator()(T a, T amount) const {
    uint64_t by = static_cast<uint64_t>(amount);
    return by >= bits ? T(0) : static_cast<T>(wrap(static_cast<uint64_t>(a), bits) >> by);
  }
};
struct ShiftRightArithmeticFunction : BinaryFunction {
  using BinaryFunction::BinaryFunction;
  template <IntegerValue T> T operator()(T a, T amount) const {
    uint64_t by = std::min<uint64_t>(static_cast<uint64_t>(amount), bits - 1);
    return static_cast<T>(wrap(static_cast<int64_t>(a), bits) >> by);
  }
};

struct ComplexFunction : BinaryFunction {
  using BinaryFunction::BinaryFunction;
  template <RealValue T> std::complex<T> operator()(T real, T imaginary) const {
    return {real, imaginary};
  }
};

// Computes the upper half of the double-width product.
struct MulhiFunction : BinaryFunction {
  using BinaryFunction::BinaryFunction;
  // Multiplies 32-bit halves; no partial sum exceeds 64 bits.
  static uint64_t upperHalf(uint64_t a, uint64_t b) {
    uint64_t aLow = a & 0xffffffff, aHigh = a >> 32;
    uint64_t bLow = b & 0xffffffff, bHigh = b >> 32;
    uint64_t middle = aHigh * bLow + ((aLow * bLow) >> 32);
    uint64_t crossed = aLow * bHigh + (middle & 0xffffffff);
    return aHigh * bHigh + (middle >> 32) + (crossed >> 32);
  }
  template <UnsignedValue T> T operator()(T a, T b) const {
    return bits == 64 ? upperHalf(a, b) : (a * b) >> bits;
  }
  template <SignedValue T> T operator()(T a, T b) const {
    if (bits < 64) {
      return (a * b) >> bits;
    }
    // Reading a negative factor as unsigned makes it 2^64 too large.
    uint64_t upper = upperHalf(static_cast<uint64_t>(a), static_cast<uint64_t>(b));
    upper -= a < 0 ? static_cast<uint64_t>(b) : 0;
    upper -= b < 0 ? static_cast<uint64_t>(a) : 0;
    return static_cast<T>(upper);
  }
};

// Computes the next representable number of the element type after `from`, in the direction of
// `to`.
struct NextAfterFunction : BinaryFunction {
  explicit NextAfterFunction(ElementType type) : BinaryFunction(type), type(type) {}
  ElementType type;
  template <RealValue T> T operator()(T from, T to) const {
    if (std::isnan(from) || std::isnan(to)) {
      return std::numeric_limits<T>::quiet_NaN();
    }
    if (from == to) {
      return to;
    }
    // Bit patterns are ordered by magnitude: the neighbour's pattern is larger by one if the
    // neighbour is further from zero, and smaller by one if the neighbour is nearer to zero.
    uint64_t sign = uint64_t{1} << (bits - 1);
    if (from == 0) {
      return decode(type, 1 | (to < 0 ? sign : 0));
    }
    uint64_t pattern = encode(type, static_cast<double>(from));
    bool outwards = (from > 0) == (to > from);
    T next = decode(type, outwards ? pattern + 1 : pattern - 1);
    // Some types use the bit pattern of minus zero for NaN.
    return std::isnan(next) ? T(0) : next;
  }
};

struct PolygammaFunction : BinaryFunction {
  using BinaryFunction::BinaryFunction;
  static constexpr bool wide = true;
  template <RealValue T> T operator()(T n, T x) const { return static_cast<T>(polygamma(n, x)); }
};
struct ZetaFunction : BinaryFunction {
  using BinaryFunction::BinaryFunction;
  static constexpr bool wide = true;
  template <RealValue T> T operator()(T x, T q) const {
    T sum = static_cast<T>(hurwitzZeta(x, q));
    // A sum that underflows stays positive, for f8E8M0FNU, which has no zero.
    return sum == 0 && q > 0 ? std::numeric_limits<T>::denorm_min() : sum;
  }
};

template <typename Function, typename C>
concept BinaryFunctionOf = requires(const Function &function, C a, C b) { function(a, b); };

// Calls `fn` with the operation's function object for elements of `type`.
template <typename Fn> auto withBinaryFunction(BinaryOperation operation, ElementType type, Fn fn) {
  switch (operation) {
#define X(Name, mnemonic)                                                                          \
  case BinaryOperation::Name:                                                                      \
    return fn(Name##Function(type));
    DRUMLIN_BINARY_OPERATIONS(X)
#undef X
  }
  return fn(AddFunction(type));
}

} // namespace drumlin::interpreter
