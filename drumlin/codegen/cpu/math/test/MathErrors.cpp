// MathErrors [--threads=N] [--seconds=N] [--at=X] FUNCTION…
//
// Measures the largest error of math functions of one operand. f32 functions are measured over all
// 2^32 operands. f64 functions are measured at random operands until the time is over (--seconds
// per function). With --at, functions are measured at one operand. Prints a line per function and
// variant, with fields separated by tabs: name, variant, error, the operand with this error, and
// the number of operands tried.
//
// Operands are first screened with a reference in f64 or long double. For f32 functions, the
// reference is the interpreter's f64 function, which is the standard library's. The reference's
// error is a few units of f64, less than 2^-26 units of f32. Functions that take microseconds in
// the interpreter have another reference (isSlow()). For f64 functions, the reference is the
// interpreter's long double function, whose error is a few times 2^-11 units. If the reference
// shows an error above the largest one so far, MPFR computes the error: all printed errors are
// computed with MPFR.
#include "drumlin/codegen/cpu/math/test/FunctionErrors.h"
#include "drumlin/interpreter/kernels/test/numerics/ExactReal.h"
#include "drumlin/interpreter/kernels/test/numerics/MeasuredErrors.h"

#include <algorithm>
#include <atomic>
#include <bit>
#include <chrono>
#include <cmath>
#include <cstdio>
#include <cstdlib>
#include <functional>

#include <mutex>
#include <numbers>
#include <string_view>
#include <thread>

using namespace drumlin;
using namespace drumlin::codegen::math;
using namespace drumlin::interpreter;

namespace {

struct Options {
  unsigned threads = std::max(1u, std::thread::hardware_concurrency());
  double seconds = 60;
  const char *at = nullptr;
  std::vector<std::string> names; // names of functions or operations
};

struct Worst {
  double error = 0;
  double operand = 0;
  uint64_t operands = 0;
};

// Computes the exact function, with MPFR numbers that one thread owns.
class Exact {
public:
  explicit Exact(UnaryOperation operation) : function(exact::realUnary().at(operation)) {
    mpfr_init2(operand, 53);
    mpfr_inits2(referencePrecision, result, scratch, static_cast<mpfr_ptr>(nullptr));
  }
  Exact(const Exact &) = delete;
  Exact &operator=(const Exact &) = delete;
  ~Exact() {
    mpfr_clears(operand, result, scratch, static_cast<mpfr_ptr>(nullptr));
    mpfr_free_cache2(MPFR_FREE_LOCAL_CACHE);
  }
  double error(float x, float got) {
    compute(x);
    return ulpErrorF32(got, result);
  }
  double error(const FunctionInfo &info, double x, double got) {
    compute(x);
    return ulpErrorF64(got, result, scratch, leastUnitF64(info.operation, x, 1));
  }

private:
  void compute(double x) {
    mpfr_set_d(operand, x, MPFR_RNDN);
    function(result, operand);
  }
  exact::Real1 function;
  mpfr_t operand, result, scratch;
};

// One variant of a function with the results of one thread.
struct Measured {
  Variant variant;
  NativeCall call;
  Worst worst;
};

} // namespace

static std::vector<Measured> supportedVariants(const FunctionInfo &info) {
  std::vector<Measured> found;
  for (const Variant &variant : variants()) {
    if (variant.supported) {
      found.push_back({variant, find(variant.table, info.name), {}});
    }
  }
  return found;
}

//===-- f32: all operands ---------------------------------------------------------------------===//

constexpr size_t sweepElements = 4096;
constexpr uint64_t blocks = (uint64_t{1} << 31) / sweepElements; // operands of one sign

namespace {
enum class Parity : uint8_t { None, Odd, Even };
} // namespace

static Parity parityOf(UnaryOperation operation) {
  using enum UnaryOperation;
  switch (operation) {
  case Asin:
  case Asinh:
  case Atan:
  case Atanh:
  case BesselI1e:
  case Cbrt:
  case Erf:
  case ErfInv:
  case Sine:
  case Sinh:
  case Tan:
  case Tanh:
    return Parity::Odd;
  case Cosh:
  case Cosine:
    return Parity::Even;
  default:
    return Parity::None;
  }
}

// Returns whether the interpreter computes the function in long double or with 113 bits, which is
// slow. The reference for such functions is native f64 code, whose errors are measured with MPFR as
// well.
static bool isSlow(UnaryOperation operation) {
  using enum UnaryOperation;
  return operation == BesselI1e || operation == Digamma || operation == ErfInv;
}

static void screen(UnaryOperation operation, const std::vector<float> &operands,
                   std::vector<double> &results) {
  if (isSlow(operation)) {
    std::string name = std::string(mnemonic(operation)) + "_f64";
    std::vector<double> wide(operands.begin(), operands.end());
    const NativeFunction *best = nullptr;
    for (const Variant &variant : variants()) {
      best = variant.supported ? variant.table : best;
    }
    find(best, name)(wide.data(), wide.data(), results.data(), wide.size());
    return;
  }
  withUnaryFunction(operation, ElementType::F64, [&](const auto &function) {
    if constexpr (requires { double(function(double{})); }) {
      for (size_t i = 0; i < operands.size(); ++i) {
        results[i] = function(static_cast<double>(operands[i]));
      }
    }
  });
}

// Returns whether any error exceeds `limit` units in the last place or can't be explained by
// rounding. Computes errors like ulpErrorF32(), but without branches.
[[gnu::always_inline]] static inline bool anyAbove(const float *got, const double *exact,
                                                   double limit) {
  uint64_t found = 0;
  for (size_t i = 0; i < sweepElements; ++i) {
    double value = got[i], reference = exact[i];
    value = value > 0x1p128 ? 0x1p128 : value < -0x1p128 ? -0x1p128 : value;
    reference = reference > 0x1p128 ? 0x1p128 : reference < -0x1p128 ? -0x1p128 : reference;
    double size = std::fabs(reference);
    double normal = size < 0x1p-126 ? 0x1p-126 : size > 0x1p127 ? 0x1p127 : size;
    double unit =
        std::bit_cast<double>(std::bit_cast<uint64_t>(normal) & 0x7ff0000000000000) * 0x1p-23;
    bool isClose = std::fabs(value - reference) <= limit * unit;
    bool isNan = (value != value) & (reference != reference);
    bool isEarly = (std::fabs(value) >= 0x1p128) & (size < 0x1.ffffffp127);
    bool hasOtherSign =
        ((std::bit_cast<uint64_t>(value) ^ std::bit_cast<uint64_t>(reference)) >> 63 != 0) &
        (value == 0);
    found |= static_cast<uint64_t>((!(isClose | isNan)) | isEarly | hasOtherSign);
  }
  return found != 0;
}
[[gnu::target("avx2")]] static bool anyAboveAvx2(const float *got, const double *exact,
                                                 double limit) {
  return anyAbove(got, exact, limit);
}
static bool anyAbovePlain(const float *got, const double *exact, double limit) {
  return anyAbove(got, exact, limit);
}

// Updates the largest error from a block that has a larger error. Results that rounding can't
// explain may be errors of the reference, so each of them is checked with MPFR.
static void takeLargest(Worst &worst, Exact &exactly, const std::vector<float> &operands,
                        const std::vector<float> &got, const std::vector<double> &exact) {
  auto take = [&](size_t i) {
    double error = exactly.error(operands[i], got[i]);
    if (error > worst.error) {
      worst.error = error;
      worst.operand = operands[i];
    }
  };
  double largest = worst.error;
  size_t where = sweepElements;
  for (size_t i = 0; i < sweepElements; ++i) {
    double error = ulpErrorF32(got[i], exact[i]);
    if (error >= wrong || (got[i] == 0 && std::signbit(got[i]) != std::signbit(exact[i]))) {
      take(i);
    } else if (error > largest) {
      largest = error;
      where = i;
    }
  }
  if (where < sweepElements) {
    take(where);
  }
}

static void sweepF32(const FunctionInfo &info, std::vector<Measured> &measured,
                     std::atomic<uint64_t> &next) {
  UnaryOperation operation = *unaryOperation(info.operation);
  Parity parity = parityOf(operation);
  Exact exactly(operation);
  bool hasAvx2 = __builtin_cpu_supports("avx2") != 0;
  std::vector<float> operands(sweepElements), got(sweepElements);
  std::vector<double> exact(sweepElements);
  for (uint64_t turn = next++; turn < blocks; turn = next++) {
    // Blocks are visited in an order in which all magnitudes occur early, so that few blocks exceed
    // the largest error so far.
    uint64_t block = turn * 0x9e3779b1 % blocks;
    for (uint32_t sign : {0u, 1u}) {
      for (size_t i = 0; i < sweepElements; ++i) {
        operands[i] =
            std::bit_cast<float>(static_cast<uint32_t>(block * sweepElements + i) | sign << 31);
      }
      if (sign == 0 || parity == Parity::None) {
        screen(operation, operands, exact);
      } else if (parity == Parity::Odd) {
        std::transform(exact.begin(), exact.end(), exact.begin(), std::negate<>());
      }
      for (Measured &each : measured) {
        each.call(operands.data(), operands.data(), got.data(), sweepElements);
        bool isAbove =
            (hasAvx2 ? anyAboveAvx2 : anyAbovePlain)(got.data(), exact.data(), each.worst.error);
        if (isAbove) {
          takeLargest(each.worst, exactly, operands, got, exact);
        }
        each.worst.operands += sweepElements;
      }
    }
  }
}

//===-- f64: many operands --------------------------------------------------------------------===//

constexpr size_t batchElements = 512;

// Draws an operand from one of several sets: all bit patterns, numbers of few bits, the function's
// intervals, small and moderate magnitudes, numbers near hardPlaces, and numbers near multiples of
// the constants of argument reductions.
static double drawOperand(exact::Draws &draws, const std::vector<exact::Interval> &intervals) {
  constexpr double steps[] = {std::numbers::pi / 2, std::numbers::ln2 / 2, 1, 0x1p-5, 0x1p-8};
  double near = 1 + draws.sign() * std::exp2(-53 * draws.unit());
  switch (draws.next() % 8) {
  case 0: {
    uint64_t kept = (draws.next() & 1) != 0 ? ~uint64_t{0} : ~uint64_t{0} << 46;
    return std::bit_cast<double>(draws.next() & kept);
  }
  case 1:
    return draws.sign() * std::exp2(draws.unit() * 80 - 60);
  case 2:
    return hardPlaces[draws.next() % std::size(hardPlaces)] * near;
  case 3: {
    double step = steps[draws.next() % std::size(steps)];
    return draws.sign() * std::floor(std::exp2(draws.unit() * 24)) * step * near;
  }
  case 4:
    return draws.sign() * (1 - std::exp2(-53 * draws.unit()));
  default: {
    exact::Interval interval = intervals[draws.next() % intervals.size()];
    return interval.first + (interval.end - interval.first) * draws.unit();
  }
  }
}

// Returns the error compared with a long double reference; infinity if only MPFR can compute the
// error.
static double screenedError(const FunctionInfo &info, double x, double got, long double exact) {
  if (std::isnan(got) && std::isnan(exact)) {
    return 0;
  }
  if (!std::isfinite(got) || !std::isfinite(exact) || got == 0) {
    bool isSame = static_cast<double>(exact) == got && std::signbit(got) == std::signbit(exact);
    return isSame ? 0 : HUGE_VAL;
  }
  double least = std::max(0x1p-1022, leastUnitF64(info.operation, x, 1));
  long double size = std::max<long double>(std::fabs(exact), least);
  int exponent = std::min(std::ilogb(size), 1023);
  return static_cast<double>(std::fabs(std::ldexp(got - exact, 52 - exponent)));
}

static void screenWide(UnaryOperation operation, const std::vector<double> &operands,
                       std::vector<long double> &results) {
  withUnaryFunction(operation, ElementType::F64, [&](const auto &function) {
    using Function = std::remove_cvref_t<decltype(function)>;
    for (size_t i = 0; i < operands.size(); ++i) {
      long double x = operands[i];
      if constexpr (std::is_same_v<Function, SqrtFunction>) {
        results[i] = std::sqrt(x);
      } else if constexpr (requires { static_cast<long double>(function(x)); }) {
        results[i] = function(x);
      }
    }
  });
}

static void sweepF64(const FunctionInfo &info, std::vector<Measured> &measured, double seconds,
                     uint64_t seed) {
  using Clock = std::chrono::steady_clock;
  auto end = Clock::now() + std::chrono::duration<double>(seconds);
  UnaryOperation operation = *unaryOperation(info.operation);
  std::vector<exact::Interval> intervals = exact::intervals(operation);
  Exact exactly(operation);
  exact::Draws draws{seed};
  std::vector<double> operands(batchElements), got(batchElements);
  std::vector<long double> exact(batchElements);
  while (Clock::now() < end) {
    std::generate(operands.begin(), operands.end(), [&] { return drawOperand(draws, intervals); });
    screenWide(operation, operands, exact);
    for (Measured &each : measured) {
      each.call(operands.data(), operands.data(), got.data(), batchElements);
      for (size_t i = 0; i < batchElements; ++i) {
        double screened = screenedError(info, operands[i], got[i], exact[i]);
        if (screened <= each.worst.error) {
          continue;
        }
        double error = exactly.error(info, operands[i], got[i]);
        if (error > each.worst.error) {
          each.worst.error = error;
          each.worst.operand = operands[i];
        }
      }
      each.worst.operands += batchElements;
    }
  }
}

//===-- one operand ---------------------------------------------------------------------------===//

static void measureAt(const FunctionInfo &info, std::vector<Measured> &measured, double x) {
  Exact exactly(*unaryOperation(info.operation));
  for (Measured &each : measured) {
    if (info.element == Element::F32) {
      std::vector<float> operands(16, static_cast<float>(x)), got(16);
      each.call(operands.data(), operands.data(), got.data(), got.size());
      each.worst = {exactly.error(operands[0], got[0]), operands[0], 1};
    } else {
      std::vector<double> operands(16, x), got(16);
      each.call(operands.data(), operands.data(), got.data(), got.size());
      each.worst = {exactly.error(info, x, got[0]), x, 1};
    }
  }
}

//===-- the program ---------------------------------------------------------------------------===//

static std::vector<Measured> measure(const FunctionInfo &info, const Options &options) {
  std::vector<Measured> all = supportedVariants(info);
  if (options.at) {
    measureAt(info, all, std::strtod(options.at, nullptr));
    return all;
  }
  std::atomic<uint64_t> next{0};
  std::mutex mutex;
  std::vector<std::thread> threads;
  for (unsigned thread = 0; thread < options.threads; ++thread) {
    threads.emplace_back([&, thread] {
      std::vector<Measured> own = supportedVariants(info);
      if (info.element == Element::F32) {
        sweepF32(info, own, next);
      } else {
        sweepF64(info, own, options.seconds, 1000 + thread);
      }
      std::lock_guard lock(mutex);
      for (size_t i = 0; i < all.size(); ++i) {
        uint64_t operands = all[i].worst.operands + own[i].worst.operands;
        if (own[i].worst.error > all[i].worst.error) {
          all[i].worst = own[i].worst;
        }
        all[i].worst.operands = operands;
      }
    });
  }
  for (std::thread &thread : threads) {
    thread.join();
  }
  return all;
}

static bool isAsked(const FunctionInfo &info, const Options &options) {
  return info.arity == 1 &&
         (options.names.empty() ||
          std::any_of(options.names.begin(), options.names.end(), [&](const std::string &name) {
            return name == info.name || name == info.operation;
          }));
}

static bool parse(int count, char **words, Options &options) {
  for (int i = 1; i < count; ++i) {
    std::string_view word = words[i];
    if (word.starts_with("--threads=")) {
      options.threads =
          static_cast<unsigned>(std::max(1L, std::strtol(words[i] + 10, nullptr, 10)));
    } else if (word.starts_with("--seconds=")) {
      options.seconds = std::strtod(words[i] + 10, nullptr);
    } else if (word.starts_with("--at=")) {
      options.at = words[i] + 5;
    } else if (word.starts_with("-")) {
      std::fprintf(stderr, "unknown option `%s`; options are --threads=, --seconds= and --at=\n",
                   words[i]);
      return false;
    } else {
      options.names.emplace_back(word);
    }
  }
  return true;
}

int main(int count, char **words) {
  Options options;
  if (!parse(count, words, options)) {
    return 2;
  }
  bool isWithin = true, isAny = false;
  for (const FunctionInfo &info : functions()) {
    if (!isAsked(info, options)) {
      continue;
    }
    isAny = true;
    for (const Measured &each : measure(info, options)) {
      isWithin = isWithin && each.worst.error <= info.maxUlp;
      std::printf("%s\t%s\t%.6f\t%a\t%llu\n", info.name, each.variant.name, each.worst.error,
                  each.worst.operand, static_cast<unsigned long long>(each.worst.operands));
      std::fflush(stdout);
    }
  }
  if (!isAny) {
    std::fprintf(stderr, "no function of one operand has any of these names; MathFunctions.def "
                         "lists them\n");
    return 2;
  }
  return isWithin ? 0 : 1;
}
