#include "drumlin/target/MachineLimits.h"

#include "drumlin/support/JsonDepth.h"
#include "drumlin/support/SystemLimits.h"
#include "drumlin/support/diagnostics/SyntaxErrors.h"
#include "drumlin/target/ComputeUnits.h"
#include "llvm/Support/JSON.h"
#include "llvm/Support/raw_ostream.h"

#include <algorithm>
#include <chrono>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <limits>
#include <memory>
#include <thread>
#include <vector>
#if defined(__x86_64__)
#include <immintrin.h>
#endif

namespace drumlin {

static constexpr int passes = 7;
// The numbers of independent accumulators, with and without 512-bit registers: more than the
// instruction's latency times the instructions started per cycle, so that no instruction waits for
// another. The accumulators and two factors must fit in registers; otherwise, the loop would
// measure spills.
static constexpr int chains512 = 16, chains = 12, factors = 2;
static_assert(chains512 + factors < 32 && chains + factors < 16);
static constexpr int64_t steps = 2'000'000;
static constexpr size_t wordsOfThread = (size_t(256) << 20) / sizeof(uint64_t);

static volatile float sink;

// Returns the best rate of body(thread), in operations per second. Each pass runs `body` on all
// threads and measures the time from the first thread's start to the last thread's end.
static double best(unsigned threads, double operations, const std::function<void(unsigned)> &body) {
  double rate = 0;
  for (int pass = 0; pass < passes; ++pass) {
    auto begin = std::chrono::steady_clock::now();
    std::vector<std::thread> running;
    for (unsigned t = 1; t < threads; ++t) {
      running.emplace_back(body, t);
    }
    body(0);
    for (std::thread &thread : running) {
      thread.join();
    }
    std::chrono::duration<double> taken = std::chrono::steady_clock::now() - begin;
    rate = std::max(rate, operations / taken.count());
  }
  return rate;
}

// Defines a function with a loop that measures one instruction. In each iteration, `step` runs once
// on each accumulator. The factors are opaque to the compiler in each iteration, so that the
// compiler can't hoist anything out of the loop.
#define DRUMLIN_LIMIT_LOOP(name, chains, features, Lanes, first, a, b, step)                       \
  __attribute__((target(features))) static void name(unsigned) {                                   \
    Lanes sums[chains];                                                                            \
    auto x = a;                                                                                    \
    auto y = b;                                                                                    \
    for (int i = 0; i < chains; ++i) {                                                             \
      sums[i] = first;                                                                             \
    }                                                                                              \
    for (int64_t n = 0; n < steps; ++n) {                                                          \
      asm volatile("" : "+v"(x), "+v"(y));                                                         \
      _Pragma("unroll") for (int i = 0; i < chains; ++i) { sums[i] = step(sums[i], x, y); }        \
    }                                                                                              \
    for (int i = 0; i < chains; ++i) {                                                             \
      asm volatile("" : "+v"(sums[i]));                                                            \
    }                                                                                              \
  }

#if defined(__x86_64__)
#define DRUMLIN_FMA_512(sum, x, y) _mm512_fmadd_ps(sum, x, y)
#define DRUMLIN_FMA_256(sum, x, y) _mm256_fmadd_ps(sum, x, y)
#define DRUMLIN_MUL_ADD_128(sum, x, y) _mm_add_ps(_mm_mul_ps(sum, x), y)
DRUMLIN_LIMIT_LOOP(f32Avx512, chains512, "avx512f", __m512, _mm512_set1_ps(1),
                   _mm512_set1_ps(0.999f), _mm512_set1_ps(1e-3f), DRUMLIN_FMA_512)
DRUMLIN_LIMIT_LOOP(f32Fma, chains, "avx2,fma", __m256, _mm256_set1_ps(1), _mm256_set1_ps(0.999f),
                   _mm256_set1_ps(1e-3f), DRUMLIN_FMA_256)
DRUMLIN_LIMIT_LOOP(f32Sse, chains, "sse2", __m128, _mm_set1_ps(1), _mm_set1_ps(0.999f),
                   _mm_set1_ps(1e-3f), DRUMLIN_MUL_ADD_128)
DRUMLIN_LIMIT_LOOP(bf16Avx512, chains512, "avx512f,avx512bf16", __m512, _mm512_set1_ps(1),
                   (__m512bh)_mm512_set1_epi32(0x3f803f80), (__m512bh)_mm512_set1_epi32(0x38003800),
                   _mm512_dpbf16_ps)
DRUMLIN_LIMIT_LOOP(int8Avx512, chains512, "avx512f,avx512vnni", __m512i, _mm512_set1_epi32(1),
                   _mm512_set1_epi32(0x01020304), _mm512_set1_epi32(0x04030201),
                   _mm512_dpbusd_epi32)
#undef DRUMLIN_FMA_512
#undef DRUMLIN_FMA_256
#undef DRUMLIN_MUL_ADD_128
#endif
#undef DRUMLIN_LIMIT_LOOP

static void measureArithmetic(MachineLimits &limits) {
#if defined(__x86_64__)
  double multiplyAdds = double(limits.threads) * chains * steps;
  double multiplyAdds512 = double(limits.threads) * chains512 * steps;
  if (__builtin_cpu_supports("avx512f")) {
    limits.f32 = best(limits.threads, multiplyAdds512 * 2 * 16, f32Avx512);
  } else if (__builtin_cpu_supports("avx2") && __builtin_cpu_supports("fma")) {
    limits.f32 = best(limits.threads, multiplyAdds * 2 * 8, f32Fma);
  } else {
    limits.f32 = best(limits.threads, multiplyAdds * 2 * 4, f32Sse);
  }
  limits.bf16 = limits.int8 = limits.f32;
  if (__builtin_cpu_supports("avx512bf16")) {
    limits.bf16 = best(limits.threads, multiplyAdds512 * 2 * 32, bf16Avx512);
  }
  if (__builtin_cpu_supports("avx512vnni")) {
    limits.int8 = best(limits.threads, multiplyAdds512 * 2 * 64, int8Avx512);
  }
#endif
}

__attribute__((noinline)) static uint64_t sumOf(const uint64_t *words) {
  uint64_t sums[8] = {};
  for (size_t i = 0; i < wordsOfThread; i += 8) {
    for (size_t j = 0; j < 8; ++j) {
      sums[j] += words[i + j];
    }
  }
  uint64_t sum = 0;
  for (uint64_t each : sums) {
    sum += each;
  }
  return sum;
}

MachineLimits measureLimits(unsigned threads) {
  MachineLimits limits;
  // More threads than processors don't increase the rate, and each thread needs memory.
  unsigned processors = usableProcessors();
  limits.threads = threads ? std::min(threads, processors) : processors;
  measureArithmetic(limits);
  std::vector<std::unique_ptr<uint64_t[]>> blocks;
  for (unsigned t = 0; t < limits.threads; ++t) {
    blocks.push_back(std::make_unique_for_overwrite<uint64_t[]>(wordsOfThread));
  }
  auto fill = [&](unsigned t) { std::fill_n(blocks[t].get(), wordsOfThread, 1); };
  for (unsigned t = 0; t < limits.threads; ++t) {
    fill(t);
  }
  double bytes = double(limits.threads) * double(wordsOfThread * sizeof(uint64_t));
  limits.read =
      best(limits.threads, bytes, [&](unsigned t) { sink = float(sumOf(blocks[t].get())); });
  return limits;
}

//===- assumed limits, parsing and printing ---------------------------------------===//

double MachineLimits::of(ComputeUnit unit) const {
  switch (unit) {
#define COMPUTE_UNIT(name, feature, operands, sums, terms, rows, units, isExact, speed, limit,     \
                     share)                                                                        \
  case ComputeUnit::name:                                                                          \
    return limit * (share);
#include "drumlin/target/ComputeUnits.def"
  }
  return f32;
}

MachineLimits assumedLimits(const CpuTarget &target) {
  MachineLimits limits;
  limits.f32 = target.operationsPerSecond(ComputeUnit::fma);
  limits.read = target.bytesPerSecond;
  limits.bf16 = limits.int8 = limits.f32;
  auto assume = [&](ComputeUnit unit, double MachineLimits::*limit, double share) {
    if (target.has(unit)) {
      limits.*limit = std::max(limits.*limit, target.operationsPerSecond(unit) / share);
    }
  };
#define COMPUTE_UNIT(name, feature, operands, sums, terms, rows, units, isExact, speed, limit,     \
                     share)                                                                        \
  assume(ComputeUnit::name, &MachineLimits::limit, share);
#include "drumlin/target/ComputeUnits.def"
  return limits;
}

Result<MachineLimits> parseLimits(std::string_view text, const std::string &location) {
  auto wrong = [&](const std::string &what) {
    return diagnose(errors::SyntaxInvalid, what, location,
                    "pass the output of `drumlin limits --json`");
  };
  if (jsonDepth(text) > maxJsonDepth) {
    return wrong("nests too deeply");
  }
  llvm::Expected<llvm::json::Value> parsed = llvm::json::parse(llvm::StringRef(text));
  if (!parsed) {
    llvm::consumeError(parsed.takeError());
    return wrong("isn't JSON");
  }
  const llvm::json::Object *object = parsed->getAsObject();
  if (!object) {
    return wrong("isn't a JSON object");
  }
  MachineLimits limits;
  std::optional<int64_t> threads = object->getInteger("threads");
  if (!threads || *threads < 1 || *threads > std::numeric_limits<int>::max()) {
    return wrong("`threads` isn't a number of threads");
  }
  limits.threads = static_cast<unsigned>(*threads);
  for (auto [name, rate] : {std::pair("f32", &limits.f32), std::pair("bf16", &limits.bf16),
                            std::pair("int8", &limits.int8), std::pair("read", &limits.read)}) {
    std::optional<double> given = object->getNumber(name);
    if (!given || !(*given > 0)) {
      return wrong("`" + std::string(name) + "` isn't a positive rate");
    }
    *rate = *given;
  }
  return limits;
}

std::string limitsJson(const MachineLimits &limits) {
  llvm::json::Object made{{"threads", limits.threads},
                          {"f32", limits.f32},
                          {"bf16", limits.bf16},
                          {"int8", limits.int8},
                          {"read", limits.read}};
  std::string text;
  llvm::raw_string_ostream(text) << llvm::json::Value(std::move(made));
  return text;
}

} // namespace drumlin
