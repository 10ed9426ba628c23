#include "drumlin/interpreter/kernels/EvaluateCheck.h"
#include "drumlin/interpreter/kernels/Elements.h"
#include "drumlin/support/diagnostics/InterpreterErrors.h"

#include <bit>
#include <cmath>
#include <limits>

namespace drumlin::interpreter {

// Returns the rank of a value among the numbers of a floating-point type; both zeros have rank 0.
static int64_t orderOf(ElementType type, double value) {
  std::byte pattern[8] = {};
  encodeRun(type, &value, pattern, 1);
  uint64_t bits = 0;
  std::memcpy(&bits, pattern, storageBytes(type));
  uint64_t sign = uint64_t{1} << (info(type).bits - 1);
  bool isSigned = type != ElementType::F8E8M0FNU;
  auto magnitude = static_cast<int64_t>(isSigned ? bits & (sign - 1) : bits);
  return isSigned && (bits & sign) != 0 ? -magnitude : magnitude;
}

int64_t stepsBetween(ElementType type, double a, double b) {
  if (std::isnan(a) || std::isnan(b)) {
    return std::isnan(a) && std::isnan(b) ? 0 : std::numeric_limits<int64_t>::max();
  }
  if (a == b) {
    return 0;
  }
  if (std::isinf(a) || std::isinf(b)) {
    return std::numeric_limits<int64_t>::max();
  }
  auto first = static_cast<uint64_t>(orderOf(type, a)),
       second = static_cast<uint64_t>(orderOf(type, b));
  // The distance of two f64 numbers of different signs may exceed int64_t.
  int64_t distance = 0;
  bool overflows =
      __builtin_sub_overflow(static_cast<int64_t>(first), static_cast<int64_t>(second), &distance);
  return overflows ? std::numeric_limits<int64_t>::max() : std::abs(distance);
}

static bool isNear(double got, double expected, double tolerance) {
  if (std::isnan(got) || std::isnan(expected)) {
    return std::isnan(got) && std::isnan(expected);
  }
  return got == expected ||
         std::abs(got - expected) <= tolerance * std::max(1.0, std::abs(expected));
}

// Compares a real number, or the real or imaginary part of a complex number, with the expected
// number. For Check::Kind::Steps, raises `furthest` to the distance of the two numbers if this
// distance is larger.
static bool agrees(const Check &check, ElementType type, double got, double expected,
                   int64_t &furthest) {
  switch (check.kind) {
  case Check::Kind::Equal:
    return got == expected || (std::isnan(got) && std::isnan(expected));
  case Check::Kind::Near:
    return isNear(got, expected, check.tolerance);
  case Check::Kind::Steps: {
    int64_t steps = stepsBetween(type, got, expected);
    furthest = std::max(furthest, steps);
    return steps <= check.steps;
  }
  }
  return false;
}

static Diagnostic difference(const std::string &where, const std::string &got,
                             const std::string &expected) {
  return diagnose(errors::CheckFailed, where + " is " + got + ", expected " + expected);
}

static std::string str(double value) {
  char text[32];
  std::snprintf(text, sizeof(text), "%.17g", value);
  return text;
}

template <typename C>
static Status compareElements(const Check &check, const Tensor &got, const Tensor &expected) {
  auto left = decodeAll<C>(got), right = decodeAll<C>(expected);
  ElementType part = isComplex(got.type()) ? partType(got.type()) : got.type();
  int64_t furthest = 0;
  for (int64_t i = 0; i < got.elements(); ++i) {
    std::string where = "element " + std::to_string(i);
    if constexpr (isComplexValue<C>) {
      if (!agrees(check, part, left[i].real(), right[i].real(), furthest)) {
        return difference("the real part of " + where, str(left[i].real()), str(right[i].real()));
      }
      if (!agrees(check, part, left[i].imag(), right[i].imag(), furthest)) {
        return difference("the imaginary part of " + where, str(left[i].imag()),
                          str(right[i].imag()));
      }
    } else if constexpr (isRealValue<C>) {
      if (!agrees(check, part, left[i], right[i], furthest)) {
        return difference(where, str(left[i]), str(right[i]));
      }
    } else if (left[i] != right[i]) {
      return difference(where, std::to_string(left[i]), std::to_string(right[i]));
    }
  }
  if (furthest < check.leastSteps) {
    return difference("the largest difference", std::to_string(furthest) + " steps",
                      std::to_string(check.leastSteps) + " at least");
  }
  return Done{};
}

Status compareWith(const Check &check, const Tensor &got, const Tensor &expected) {
  if (got.type() != expected.type() || got.shape() != expected.shape()) {
    return diagnose(errors::CheckFailed, "cannot compare tensors of different types");
  }
  Status status = Done{};
  withValueType(got.type(),
                [&]<typename C>() { status = compareElements<C>(check, got, expected); });
  return status;
}

} // namespace drumlin::interpreter
