#include "drumlin/codegen/cpu/math/test/References.h"

#include <cmath>

static int mpfrLogistic(mpfr_t result, mpfr_srcptr x, mpfr_rnd_t rounding) {
  mpfr_neg(result, x, rounding);
  mpfr_exp(result, result, rounding);
  mpfr_add_ui(result, result, 1, rounding);
  return mpfr_ui_div(result, 1, result, rounding);
}

// The sign of zero stays, as in IEEE 754's rSqrt.
static int mpfrRsqrt(mpfr_t result, mpfr_srcptr x, mpfr_rnd_t rounding) {
  if (mpfr_zero_p(x)) {
    mpfr_set_inf(result, mpfr_signbit(x) ? -1 : 1);
    return 0;
  }
  return mpfr_rec_sqrt(result, x, rounding);
}

// Newton's iteration on erf below a half and on erfc above, from the f64 estimate of the same kind.
static int mpfrErfInv(mpfr_t result, mpfr_srcptr x, mpfr_rnd_t rounding) {
  if (mpfr_nan_p(x) || mpfr_cmpabs_ui(x, 1) > 0) {
    mpfr_set_nan(result);
    return 0;
  }
  if (mpfr_cmpabs_ui(x, 1) == 0 || mpfr_zero_p(x)) {
    mpfr_zero_p(x) ? (void)mpfr_set(result, x, rounding) : mpfr_set_inf(result, mpfr_sgn(x));
    return 0;
  }
  mpfr_t y, error, slope;
  mpfr_inits2(references::ReferencePrecision, y, error, slope, static_cast<mpfr_ptr>(nullptr));
  mpfr_abs(y, x, rounding);
  double value = mpfr_get_d(y, rounding);
  double w = -std::log((1 - value) * (1 + value));
  double estimate = value * 0.8862269254527580;
  if (value > 0.3) {
    double a = 2 / (M_PI * 0.147) - w / 2;
    estimate = std::sqrt(std::sqrt(a * a + w / 0.147) - a);
  }
  mpfr_set_d(result, estimate, rounding);
  bool upper = value > 0.5;
  mpfr_t target;
  mpfr_init2(target, references::ReferencePrecision);
  upper ? mpfr_ui_sub(target, 1, y, rounding) : mpfr_set(target, y, rounding);
  for (int step = 0; step < 5; ++step) {
    upper ? mpfr_erfc(error, result, rounding) : mpfr_erf(error, result, rounding);
    mpfr_sub(error, error, target, rounding);
    if (upper) {
      mpfr_neg(error, error, rounding);
    }
    mpfr_sqr(slope, result, rounding);
    mpfr_neg(slope, slope, rounding);
    mpfr_exp(slope, slope, rounding);
    mpfr_mul_d(slope, slope, 1.1283791670955126, rounding);
    mpfr_div(error, error, slope, rounding);
    // Halley's correction, so that few steps do.
    mpfr_mul(slope, error, result, rounding);
    mpfr_add_ui(slope, slope, 1, rounding);
    mpfr_div(error, error, slope, rounding);
    mpfr_sub(result, result, error, rounding);
    if (mpfr_zero_p(error) || mpfr_get_exp(error) < mpfr_get_exp(result) - 40) {
      break;
    }
  }
  mpfr_setsign(result, result, mpfr_signbit(x), rounding);
  mpfr_clears(y, error, slope, target, static_cast<mpfr_ptr>(nullptr));
  return 0;
}

const std::map<std::string, references::Mpfr1> &references::exactUnary() {
  static const std::map<std::string, references::Mpfr1> table = {
      {"exponential", mpfr_exp},  {"exponential_minus_one", mpfr_expm1},
      {"log", mpfr_log},          {"log_plus_one", mpfr_log1p},
      {"logistic", mpfrLogistic}, {"tanh", mpfr_tanh},
      {"sine", mpfr_sin},         {"cosine", mpfr_cos},
      {"tan", mpfr_tan},          {"sqrt", mpfr_sqrt},
      {"rsqrt", mpfrRsqrt},       {"cbrt", mpfr_cbrt},
      {"erf", mpfr_erf},          {"erfc", mpfr_erfc},
      {"erf_inv", mpfrErfInv},    {"atan", mpfr_atan},
      {"asin", mpfr_asin},        {"acos", mpfr_acos},
      {"sinh", mpfr_sinh},        {"cosh", mpfr_cosh},
      {"asinh", mpfr_asinh},      {"acosh", mpfr_acosh},
      {"atanh", mpfr_atanh}};
  return table;
}

const std::map<std::string, references::Mpfr2> &references::exactBinary() {
  static const std::map<std::string, references::Mpfr2> table = {
      {"power", mpfr_pow}, {"atan2", mpfr_atan2}, {"remainder", mpfr_fmod}};
  return table;
}

// A few Newton steps in f64 on the C library's functions, good to about 2^-48.
static double erfInvReference(double x) {
  double y = std::fabs(x);
  if (!(y < 1)) {
    return y == 1 ? std::copysign(HUGE_VAL, x) : NAN;
  }
  double w = -std::log((1 - y) * (1 + y));
  double a = 2 / (M_PI * 0.147) - w / 2;
  double r = y > 0.3 ? std::sqrt(std::sqrt(a * a + w / 0.147) - a) : y * 0.886226925452758;
  for (int step = 0; step < 3 && y > 0; ++step) {
    double u =
        (y > 0.5 ? (1 - y) - std::erfc(r) : std::erf(r) - y) / (M_2_SQRTPI * std::exp(-r * r));
    r -= u / (1 + r * u);
  }
  return std::copysign(r, x);
}
static double logisticReference(double x) { return 1 / (1 + std::exp(-x)); }
static double rsqrtReference(double x) { return 1 / std::sqrt(x); }

const std::map<std::string, references::Reference1> &references::referenceUnary() {
  static const std::map<std::string, references::Reference1> table = {
      {"exponential", std::exp},
      {"exponential_minus_one", std::expm1},
      {"log", std::log},
      {"log_plus_one", std::log1p},
      {"logistic", logisticReference},
      {"tanh", std::tanh},
      {"sine", std::sin},
      {"cosine", std::cos},
      {"tan", std::tan},
      {"sqrt", std::sqrt},
      {"rsqrt", rsqrtReference},
      {"cbrt", std::cbrt},
      {"erf", std::erf},
      {"erfc", std::erfc},
      {"erf_inv", erfInvReference},
      {"atan", std::atan},
      {"asin", std::asin},
      {"acos", std::acos},
      {"sinh", std::sinh},
      {"cosh", std::cosh},
      {"asinh", std::asinh},
      {"acosh", std::acosh},
      {"atanh", std::atanh}};
  return table;
}
const std::map<std::string, references::Reference2> &references::referenceBinary() {
  static const std::map<std::string, references::Reference2> table = {
      {"power", std::pow}, {"atan2", std::atan2}, {"remainder", std::fmod}};
  return table;
}
