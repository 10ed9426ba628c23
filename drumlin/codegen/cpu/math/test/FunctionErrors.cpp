#include "drumlin/codegen/cpu/math/test/FunctionErrors.h"

#include "drumlin/interpreter/kernels/test/numerics/MeasuredErrors.h"

#include <algorithm>
#include <bit>
#include <cmath>

using namespace drumlin::codegen;

constexpr math::FunctionInfo table[] = {
#define DRUMLIN_MATH_FUNCTION(name, operation, element, arity, lanes, maxUlp, method)              \
  {#name, operation, math::Element::element, arity, maxUlp},
#include "drumlin/codegen/cpu/math/MathFunctions.def"
};

std::span<const math::FunctionInfo> math::functions() { return table; }

std::vector<math::Variant> math::variants() {
  return {{"x86-64", v1_table, true},
          {"x86-64-v3", v3_table, __builtin_cpu_supports("x86-64-v3") != 0},
          {"x86-64-v4", v4_table, __builtin_cpu_supports("x86-64-v4") != 0}};
}

NativeCall math::find(const NativeFunction *table, const std::string &name) {
  for (; table->name; ++table) {
    if (name == table->name) {
      return table->call;
    }
  }
  return nullptr;
}

// Half a unit above the largest f32 number. From this number on, infinity is the correct result.
constexpr double infinityFrom = 0x1.ffffffp127;

double math::ulpErrorF32(float got, double exact) {
  if (std::isnan(exact) || std::isnan(got)) {
    return std::isnan(exact) == std::isnan(got) ? 0 : wrong;
  }
  if (exact == 0 && got == 0) {
    return std::signbit(exact) == std::signbit(got) ? 0 : wrong;
  }
  double value = std::isinf(got) ? std::copysign(0x1p128, got) : got;
  double bounded = std::clamp(exact, -0x1p128, 0x1p128);
  if (std::isinf(got) && std::fabs(bounded) < infinityFrom) {
    return wrong;
  }
  // The unit in the last place of the exact value's binade, computed from its exponent.
  int exponent = static_cast<int>(std::bit_cast<uint64_t>(bounded) >> 52 & 0x7ff) - 1023;
  exponent = std::clamp(exponent, -126, 127);
  return std::fabs(value - bounded) *
         std::bit_cast<double>(static_cast<uint64_t>(1023 + 23 - exponent) << 52);
}

double math::ulpErrorF32(float got, mpfr_srcptr exact) {
  if (std::isinf(got) && std::fabs(mpfr_get_d(exact, MPFR_RNDZ)) < infinityFrom) {
    return wrong;
  }
  return interpreter::exact::ulpError(ElementType::F32, got, exact);
}

double math::leastUnitF64(const std::string &operation, double x, double y) {
  if (operation == "lgamma" || operation == "digamma") {
    return x >= 0 ? 0 : operation == "lgamma" ? 0x1p-5 : 0x1p-12;
  }
  double power = operation == "polygamma" ? x + 1 : operation == "zeta" ? x : 0;
  double nearest = std::fabs(y - std::nearbyint(y));
  if (y >= 0 || nearest == 0.5 || std::fmod(power, 2) != 1) {
    return 0;
  }
  double largest =
      std::pow(nearest, -power) * (operation == "polygamma" ? std::tgamma(power) : 1.0);
  return std::isfinite(largest) ? largest : 0;
}

double math::ulpErrorF64(double got, mpfr_srcptr exact, mpfr_ptr scratch, double leastUnit) {
  if (mpfr_nan_p(exact) || std::isnan(got)) {
    return (mpfr_nan_p(exact) != 0) == std::isnan(got) ? 0 : wrong;
  }
  if (mpfr_zero_p(exact) && got == 0) {
    return (mpfr_signbit(exact) != 0) == std::signbit(got) ? 0 : wrong;
  }
  if (std::isinf(got)) {
    double rounded = mpfr_get_d(exact, MPFR_RNDN);
    double outward = mpfr_get_d(exact, MPFR_RNDA);
    return rounded == got ? 0 : outward == got ? 1 : wrong;
  }
  if (mpfr_inf_p(exact)) {
    return wrong;
  }
  long exponent = mpfr_zero_p(exact) ? -1022 : std::max<long>(mpfr_get_exp(exact) - 1, -1022);
  exponent = leastUnit > 0 ? std::max<long>(exponent, std::ilogb(leastUnit)) : exponent;
  mpfr_sub_d(scratch, exact, got, MPFR_RNDN);
  mpfr_mul_2si(scratch, scratch, 52 - exponent, MPFR_RNDN);
  return std::fabs(mpfr_get_d(scratch, MPFR_RNDN));
}
