#include "drumlin/interpreter/kernels/test/numerics/ExactComplex.h"

using namespace drumlin::interpreter;

namespace {
struct Number {
  Number() { mpfr_init2(value, exact::complexPrecision); }
  Number(const Number &) = delete;
  Number &operator=(const Number &) = delete;
  ~Number() { mpfr_clear(value); }
  operator mpfr_ptr() { return value; }
  mpfr_t value;
};
struct Pair {
  Pair() { mpc_init2(value, exact::complexPrecision); }
  Pair(const Pair &) = delete;
  Pair &operator=(const Pair &) = delete;
  ~Pair() { mpc_clear(value); }
  operator mpc_ptr() { return value; }
  mpc_t value;
};
} // namespace

constexpr mpfr_rnd_t nearest = MPFR_RNDN;
constexpr mpc_rnd_t bothNearest = MPC_RNDNN;

template <int (*function)(mpc_t, mpc_srcptr, mpc_rnd_t)>
static void plain(mpc_t result, mpc_srcptr x) {
  function(result, x, bothNearest);
}
template <int (*function)(mpc_t, mpc_srcptr, mpc_srcptr, mpc_rnd_t)>
static void plain(mpc_t result, mpc_srcptr a, mpc_srcptr b) {
  function(result, a, b, bothNearest);
}

// Computes exp(a) cos(b) - 1 = expm1(a) cos(b) - 2 sin(b / 2)^2.
static void expMinusOne(mpc_t result, mpc_srcptr x) {
  Number growth, cosine, half;
  mpfr_expm1(growth, mpc_realref(x), nearest);
  mpfr_cos(cosine, mpc_imagref(x), nearest);
  mpfr_mul(growth, growth, cosine, nearest);
  mpfr_div_2ui(half, mpc_imagref(x), 1, nearest);
  mpfr_sin(half, half, nearest);
  mpfr_sqr(half, half, nearest);
  mpfr_mul_2ui(half, half, 1, nearest);
  mpc_exp(result, x, bothNearest);
  mpfr_sub(mpc_realref(result), growth, half, nearest);
}

// Uses |1 + z|^2 - 1 = a (2 + a) + b^2.
static void logPlusOne(mpc_t result, mpc_srcptr x) {
  Number squared, square;
  mpfr_add_ui(squared, mpc_realref(x), 2, nearest);
  mpfr_mul(squared, squared, mpc_realref(x), nearest);
  mpfr_sqr(square, mpc_imagref(x), nearest);
  mpfr_add(squared, squared, square, nearest);
  mpfr_log1p(squared, squared, nearest);
  Number shifted;
  mpfr_add_ui(shifted, mpc_realref(x), 1, nearest);
  mpfr_atan2(mpc_imagref(result), mpc_imagref(x), shifted, nearest);
  mpfr_div_2ui(mpc_realref(result), squared, 1, nearest);
}

static void logistic(mpc_t result, mpc_srcptr x) {
  Pair power;
  mpc_neg(power, x, bothNearest);
  mpc_exp(power, power, bothNearest);
  mpc_add_ui(power, power, 1, bothNearest);
  mpc_ui_div(result, 1, power, bothNearest);
}

static void rsqrt(mpc_t result, mpc_srcptr x) {
  Pair root;
  mpc_sqrt(root, x, bothNearest);
  mpc_ui_div(result, 1, root, bothNearest);
}

static void cbrt(mpc_t result, mpc_srcptr x) {
  Number length, angle, part;
  mpc_abs(length, x, nearest);
  mpfr_cbrt(length, length, nearest);
  mpc_arg(angle, x, nearest);
  mpfr_div_ui(angle, angle, 3, nearest);
  mpfr_cos(part, angle, nearest);
  mpfr_mul(mpc_realref(result), length, part, nearest);
  mpfr_sin(part, angle, nearest);
  mpfr_mul(mpc_imagref(result), length, part, nearest);
}

// Computes the real part of sqrt(1 - z) * sqrt(1 + z), and |im asin z|.
static void asinAcosKernel(mpc_t result, mpc_srcptr x) {
  Pair below, above;
  mpc_ui_sub(below, 1, x, bothNearest);
  mpc_add_ui(above, x, 1, bothNearest);
  mpc_sqrt(below, below, bothNearest);
  mpc_sqrt(above, above, bothNearest);
  mpc_mul(below, below, above, bothNearest);
  mpc_asin(result, x, bothNearest);
  mpfr_abs(mpc_realref(result), mpc_realref(static_cast<mpc_ptr>(below)), nearest);
  mpfr_abs(mpc_imagref(result), mpc_imagref(result), nearest);
}

static void abs(mpc_t result, mpc_srcptr x) {
  Number length;
  mpc_abs(length, x, nearest);
  mpc_set_fr(result, length, bothNearest);
}

static void sign(mpc_t result, mpc_srcptr x) {
  Number length;
  mpc_abs(length, x, nearest);
  mpc_div_fr(result, x, length, bothNearest);
}

// Computes -i log((x + iy) / sqrt(x^2 + y^2)).
static void atan2(mpc_t result, mpc_srcptr y, mpc_srcptr x) {
  Pair turned, squares, square;
  mpc_mul_i(turned, y, 1, bothNearest);
  mpc_add(turned, x, turned, bothNearest);
  mpc_sqr(squares, x, bothNearest);
  mpc_sqr(square, y, bothNearest);
  mpc_add(squares, squares, square, bothNearest);
  mpc_sqrt(squares, squares, bothNearest);
  mpc_div(turned, turned, squares, bothNearest);
  mpc_log(turned, turned, bothNearest);
  mpc_mul_i(result, turned, -1, bothNearest);
}

const std::map<UnaryOperation, exact::Complex1> &exact::complexUnary() {
  using enum UnaryOperation;
  static const std::map<UnaryOperation, Complex1> table = {
#define NO_NAME(...)
#define NAMED(Name, mnemonic, function) {Name, plain<mpc_##function>},
      DRUMLIN_UNARY_OPERATIONS(NO_NAME, NAMED, NO_NAME, NO_NAME)
#undef NO_NAME
#undef NAMED
          {Abs, ::abs},
      {AsinAcosKernel, asinAcosKernel},
      {Cbrt, ::cbrt},
      {ExponentialMinusOne, expMinusOne},
      {LogPlusOne, logPlusOne},
      {Logistic, logistic},
      {Rsqrt, rsqrt},
      {Sign, sign},
      {Sqrt, plain<mpc_sqrt>},
      {Square, plain<mpc_sqr>},
  };
  return table;
}

const std::map<BinaryOperation, exact::Complex2> &exact::complexBinary() {
  using enum BinaryOperation;
  static const std::map<BinaryOperation, Complex2> table = {
      {Add, plain<mpc_add>},      {Atan2, ::atan2},        {Divide, plain<mpc_div>},
      {Multiply, plain<mpc_mul>}, {Power, plain<mpc_pow>}, {Subtract, plain<mpc_sub>},
  };
  return table;
}
