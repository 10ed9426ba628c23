#include "drumlin/interpreter/kernels/test/numerics/ExactReal.h"

#include <array>

using namespace drumlin::interpreter;

// An MPFR number that frees itself.
namespace {
struct Number {
  explicit Number(mpfr_prec_t bits = exact::precision + 64) { mpfr_init2(value, bits); }
  Number(const Number &) = delete;
  Number &operator=(const Number &) = delete;
  ~Number() { mpfr_clear(value); }
  operator mpfr_ptr() { return value; }
  mpfr_t value;
};
} // namespace

constexpr mpfr_rnd_t nearest = MPFR_RNDN;

template <int (*function)(mpfr_t, mpfr_srcptr, mpfr_rnd_t)>
static void plain(mpfr_t result, mpfr_srcptr x) {
  function(result, x, nearest);
}
template <int (*function)(mpfr_t, mpfr_srcptr, mpfr_srcptr, mpfr_rnd_t)>
static void plain(mpfr_t result, mpfr_srcptr a, mpfr_srcptr b) {
  function(result, a, b, nearest);
}

static void logistic(mpfr_t result, mpfr_srcptr x) {
  Number power;
  mpfr_neg(power, x, nearest);
  mpfr_exp(power, power, nearest);
  mpfr_add_ui(power, power, 1, nearest);
  mpfr_ui_div(result, 1, power, nearest);
}

// The sign of zero is kept, as in IEEE 754's rSqrt.
static void rsqrt(mpfr_t result, mpfr_srcptr x) {
  if (mpfr_zero_p(x)) {
    mpfr_set_inf(result, mpfr_signbit(x) ? -1 : 1);
    return;
  }
  mpfr_rec_sqrt(result, x, nearest);
}

static void lgamma(mpfr_t result, mpfr_srcptr x) {
  int sign = 0;
  mpfr_lgamma(result, &sign, x, nearest);
}

// Computes erfc. The result is never zero for a finite operand: on underflow of MPFR's exponent
// range, it is the least positive number.
static void positiveErfc(mpfr_t result, mpfr_srcptr x) {
  mpfr_erfc(result, x, nearest);
  if (mpfr_zero_p(result) && !mpfr_inf_p(x)) {
    mpfr_nextabove(result);
  }
}

static bool isPole(mpfr_srcptr x) { return mpfr_sgn(x) <= 0 && mpfr_integer_p(x); }

static void digammaOrPole(mpfr_t result, mpfr_srcptr x) {
  if (mpfr_inf_p(x)) {
    mpfr_sgn(x) > 0 ? mpfr_set_inf(result, 1) : mpfr_set_nan(result);
  } else if (mpfr_nan_p(x) || isPole(x)) {
    mpfr_set_nan(result);
  } else {
    mpfr_digamma(result, x, nearest);
  }
}

// Computes the inverse by Newton's method on erfc(r) = 1 - |x|, which keeps its digits at both
// ends. Each step doubles the number of correct digits. The first estimate comes from the
// asymptotic formula or from the first term of the series.
static void inverseErf(mpfr_t result, mpfr_srcptr x) {
  if (mpfr_nan_p(x) || mpfr_cmpabs_ui(x, 1) > 0) {
    mpfr_set_nan(result);
    return;
  }
  if (mpfr_zero_p(x) || mpfr_cmpabs_ui(x, 1) == 0) {
    mpfr_zero_p(x) ? void(mpfr_set(result, x, nearest)) : mpfr_set_inf(result, mpfr_sgn(x));
    return;
  }
  Number y, target, root, value, slope;
  mpfr_abs(y, x, nearest);
  mpfr_ui_sub(target, 1, y, nearest);
  bool isUpper = mpfr_cmp_d(y, 0.5) > 0;
  if (isUpper) {
    // The first estimate is 0.9 sqrt(-log(1 - y)).
    mpfr_log(root, target, nearest);
    mpfr_neg(root, root, nearest);
    mpfr_sqrt(root, root, nearest);
    mpfr_mul_d(root, root, 0.9, nearest);
  } else {
    mpfr_mul_d(root, y, 0.88622692545275801, nearest);
  }
  for (int step = 0; step < 40; ++step) {
    if (isUpper) {
      mpfr_erfc(value, root, nearest);
      mpfr_sub(value, value, target, nearest);
    } else {
      mpfr_erf(value, root, nearest);
      mpfr_sub(value, y, value, nearest);
    }
    // The slope is 2 / sqrt(pi) exp(-r^2).
    mpfr_sqr(slope, root, nearest);
    mpfr_neg(slope, slope, nearest);
    mpfr_exp(slope, slope, nearest);
    mpfr_mul_2ui(slope, slope, 1, nearest);
    Number pi;
    mpfr_const_pi(pi, nearest);
    mpfr_sqrt(pi, pi, nearest);
    mpfr_div(slope, slope, pi, nearest);
    mpfr_div(value, value, slope, nearest);
    mpfr_add(root, root, value, nearest);
    if (mpfr_zero_p(value) || mpfr_get_exp(value) < mpfr_get_exp(root) - exact::precision / 2 - 8) {
      break;
    }
  }
  mpfr_setsign(result, root, mpfr_signbit(x), nearest);
}

// Computes exp(-|x|) I1(x). Uses the power series, whose terms all have one sign, or for large x
// the asymptotic series, whose terms shrink far below the precision before they grow again.
static void besselI1e(mpfr_t result, mpfr_srcptr x) {
  if (mpfr_nan_p(x) || mpfr_zero_p(x)) {
    mpfr_set(result, x, nearest);
    return;
  }
  if (mpfr_inf_p(x)) {
    mpfr_set_zero(result, mpfr_sgn(x));
    return;
  }
  Number size, sum, term, factor;
  mpfr_abs(size, x, nearest);
  if (mpfr_cmp_ui(size, 200) < 0) {
    Number quarter;
    mpfr_sqr(quarter, size, nearest);
    mpfr_div_2ui(quarter, quarter, 2, nearest);
    mpfr_div_2ui(term, size, 1, nearest);
    mpfr_set(sum, term, nearest);
    for (unsigned long k = 1; mpfr_get_exp(term) > mpfr_get_exp(sum) - exact::precision - 64; ++k) {
      mpfr_mul(term, term, quarter, nearest);
      mpfr_div_ui(term, term, k * (k + 1), nearest);
      mpfr_add(sum, sum, term, nearest);
    }
    mpfr_neg(factor, size, nearest);
    mpfr_exp(factor, factor, nearest);
    mpfr_mul(sum, sum, factor, nearest);
  } else {
    mpfr_set_ui(term, 1, nearest);
    mpfr_set_ui(sum, 1, nearest);
    for (unsigned long k = 1; mpfr_get_exp(term) > -exact::precision - 64; ++k) {
      long odd = 2 * static_cast<long>(k) - 1;
      mpfr_mul_si(term, term, -(4 - odd * odd), nearest);
      mpfr_div_ui(term, term, 8 * k, nearest);
      mpfr_div(term, term, size, nearest);
      mpfr_add(sum, sum, term, nearest);
    }
    mpfr_const_pi(factor, nearest);
    mpfr_mul_2ui(factor, factor, 1, nearest);
    mpfr_mul(factor, factor, size, nearest);
    mpfr_sqrt(factor, factor, nearest);
    mpfr_div(sum, sum, factor, nearest);
  }
  mpfr_setsign(result, sum, mpfr_signbit(x), nearest);
}

// The coefficients B(2k) / (2k)! = (-1)^(k + 1) 2 zeta(2k) / (2 pi)^(2k), for k from 1 on.
static std::array<Number, 60> &eulerMaclaurin() {
  static std::array<Number, 60> table;
  static bool isFilled = false;
  for (unsigned long k = 1; !isFilled && k <= table.size(); ++k) {
    Number power;
    mpfr_const_pi(power, nearest);
    mpfr_mul_2ui(power, power, 1, nearest);
    mpfr_pow_ui(power, power, 2 * k, nearest);
    mpfr_ptr result = table[k - 1];
    mpfr_zeta_ui(result, 2 * k, nearest);
    mpfr_mul_2ui(result, result, 1, nearest);
    mpfr_div(result, result, power, nearest);
    mpfr_setsign(result, result, k % 2 == 0, nearest);
  }
  isFilled = true;
  return table;
}

// Computes zeta for x > 1. Sums the terms up to the eightieth positive term. The remainder
// follows by the Euler-Maclaurin formula, whose sixty terms leave an error below 2^-200.
static void zeta(mpfr_t result, mpfr_srcptr x, mpfr_srcptr q) {
  bool isInteger = mpfr_integer_p(x) != 0;
  if (isPole(q) && isInteger && mpfr_get_ui(x, nearest) % 2 == 0) {
    mpfr_set_inf(result, 1);
    return;
  }
  if (isPole(q) || (mpfr_sgn(q) < 0 && !isInteger)) {
    mpfr_set_nan(result);
    return;
  }
  // Terms of odd powers cancel: the sum may be as small as 2^-600 times the terms.
  mpfr_prec_t bits = exact::precision + (mpfr_sgn(q) < 0 ? 800 : 64);
  long terms = 80 + (mpfr_sgn(q) < 0 ? -mpfr_get_si(q, MPFR_RNDD) : 0);
  Number sum(bits), first(bits), power(bits), factor(bits), term(bits), minusX(bits);
  mpfr_set_zero(sum, 1);
  mpfr_set(first, q, nearest);
  mpfr_neg(minusX, x, nearest);
  for (long k = 0; k < terms; ++k) {
    mpfr_pow(term, first, minusX, nearest);
    mpfr_add(sum, sum, term, nearest);
    mpfr_add_ui(first, first, 1, nearest);
  }
  mpfr_pow(power, first, minusX, nearest);
  mpfr_div_2ui(term, power, 1, nearest);
  mpfr_add(sum, sum, term, nearest);
  mpfr_mul(term, power, first, nearest);
  mpfr_sub_ui(factor, x, 1, nearest);
  mpfr_div(term, term, factor, nearest);
  mpfr_add(sum, sum, term, nearest);
  mpfr_set(factor, x, nearest);
  mpfr_div(power, power, first, nearest);
  Number next;
  for (unsigned long k = 1; k <= eulerMaclaurin().size(); ++k) {
    mpfr_mul(term, eulerMaclaurin()[k - 1], factor, nearest);
    mpfr_mul(term, term, power, nearest);
    mpfr_add(sum, sum, term, nearest);
    for (unsigned long step = 2 * k - 1; step <= 2 * k; ++step) {
      mpfr_add_ui(next, x, step, nearest);
      mpfr_mul(factor, factor, next, nearest);
    }
    mpfr_div(power, power, first, nearest);
    mpfr_div(power, power, first, nearest);
  }
  mpfr_set(result, sum, nearest);
}

static void polygamma(mpfr_t result, mpfr_srcptr n, mpfr_srcptr x) {
  if (mpfr_zero_p(n)) {
    digammaOrPole(result, x);
    return;
  }
  Number order, factorial;
  mpfr_add_ui(order, n, 1, nearest);
  mpfr_gamma(factorial, order, nearest);
  zeta(result, order, x);
  mpfr_mul(result, result, factorial, nearest);
  if (mpfr_get_ui(n, nearest) % 2 == 0) {
    mpfr_neg(result, result, nearest);
  }
}

const std::map<UnaryOperation, exact::Real1> &exact::realUnary() {
  using enum UnaryOperation;
  static const std::map<UnaryOperation, Real1> table = {
#define NO_NAME(...)
#define NAMED(Name, mnemonic, function) {Name, plain<mpfr_##function>},
#define NAMED_ROUNDING(Name, mnemonic, function) {Name, plain<mpfr_rint_##function>},
      DRUMLIN_UNARY_OPERATIONS(NO_NAME, NAMED, NAMED, NAMED_ROUNDING)
#undef NO_NAME
#undef NAMED
#undef NAMED_ROUNDING
          {Cbrt, plain<mpfr_cbrt>},
      {ExponentialMinusOne, plain<mpfr_expm1>},
      {LogPlusOne, plain<mpfr_log1p>},
      {Logistic, logistic},
      {RoundNearestEven, plain<mpfr_rint_roundeven>},
      {Rsqrt, rsqrt},
      {Sqrt, plain<mpfr_sqrt>},
      {Erfc, positiveErfc},
      {ErfInv, inverseErf},
      {BesselI1e, ::besselI1e},
      {Digamma, digammaOrPole},
      {Lgamma, ::lgamma},
      {Square, plain<mpfr_sqr>},
  };
  return table;
}

std::vector<exact::Interval> exact::intervals(UnaryOperation operation) {
  using enum UnaryOperation;
  static const std::map<UnaryOperation, std::vector<Interval>> table = {
      {Exponential, {{-746, 710}}},
      {ExponentialMinusOne, {{-40, 40}, {-40, 3}}},
      {Logistic, {{-750, 40}, {-40, 40}}},
      {Tanh, {{-20, 20}, {-5, 5}}},
      {Erf, {{-6, 6}}},
      {Erfc, {{-6, 27.3}}},
      {ErfInv, {{-1, 1}}},
      {Log, {{0.3, 3}}},
      {LogPlusOne, {{-0.95, 2}}},
      {Acos, {{-1, 1}}},
      {Asin, {{-1, 1}}},
      {Atanh, {{-1, 1}}},
      {Acosh, {{1, 20}, {1, 4}}},
      {Cosh, {{-711, 711}}},
      {Sinh, {{-711, 711}}},
      {BesselI1e, {{-400, 400}}},
  };
  auto found = table.find(operation);
  return found == table.end() ? std::vector<Interval>{{-20, 20}} : found->second;
}

const std::map<BinaryOperation, exact::Real2> &exact::realBinary() {
  using enum BinaryOperation;
  static const std::map<BinaryOperation, Real2> table = {
      {Add, plain<mpfr_add>},      {Atan2, plain<mpfr_atan2>}, {Divide, plain<mpfr_div>},
      {Multiply, plain<mpfr_mul>}, {Power, plain<mpfr_pow>},   {Remainder, plain<mpfr_fmod>},
      {Subtract, plain<mpfr_sub>}, {Polygamma, ::polygamma},   {Zeta, ::zeta},
  };
  return table;
}
