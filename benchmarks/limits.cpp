// Measures what this machine can do at most, as JSON: limits THREADS. Register-only loops for
// arithmetic, a sum over memory larger than any cache for the bandwidth; the best of several passes
// each. Build with -O3 -march=native.
#include <chrono>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <functional>
#include <thread>
#include <vector>
#if defined(__AVX512F__) || defined(__AVX2__)
#include <immintrin.h>
#endif

static double now() {
  using namespace std::chrono;
  return duration<double>(steady_clock::now().time_since_epoch()).count();
}

// Runs body(thread) on all threads at once; the seconds from the first start to the last end.
static double together(unsigned threads, const std::function<void(unsigned)> &body) {
  double begin = now();
  std::vector<std::thread> running;
  for (unsigned t = 0; t < threads; ++t) {
    running.emplace_back(body, t);
  }
  for (std::thread &thread : running) {
    thread.join();
  }
  return now() - begin;
}

static double best(unsigned threads, double work, const std::function<void(unsigned)> &body) {
  double rate = 0;
  for (int pass = 0; pass < 7; ++pass) {
    double seconds = together(threads, body);
    rate = work / seconds > rate ? work / seconds : rate;
  }
  return rate;
}

constexpr int chains =
    16; // independent accumulators: latency times throughput of the unit, with some to spare
constexpr int64_t steps = 4'000'000;
static volatile float sink;

#if defined(__AVX512F__)
typedef __m512 Lanes;
static Lanes start(float x) { return _mm512_set1_ps(x); }
static Lanes fma(Lanes a, Lanes b, Lanes c) { return _mm512_fmadd_ps(a, b, c); }
static float first(Lanes x) { return _mm512_cvtss_f32(x); }
constexpr int lanes = 16;
#elif defined(__FMA__)
typedef __m256 Lanes;
static Lanes start(float x) { return _mm256_set1_ps(x); }
static Lanes fma(Lanes a, Lanes b, Lanes c) { return _mm256_fmadd_ps(a, b, c); }
static float first(Lanes x) { return _mm256_cvtss_f32(x); }
constexpr int lanes = 8;
#else
typedef float Lanes;
static Lanes start(float x) { return x; }
static Lanes fma(Lanes a, Lanes b, Lanes c) { return a * b + c; }
static float first(Lanes x) { return x; }
constexpr int lanes = 1;
#endif

static void fmaLoop(unsigned) {
  Lanes sums[chains], a = start(0.999f), b = start(1e-3f);
  for (int i = 0; i < chains; ++i) {
    sums[i] = start(float(i));
  }
  for (int64_t step = 0; step < steps; ++step) {
#pragma GCC unroll 16
    for (int i = 0; i < chains; ++i) {
      sums[i] = fma(sums[i], a, b);
    }
  }
  for (int i = 1; i < chains; ++i) {
    sums[0] = fma(sums[i], a, sums[0]);
  }
  sink = first(sums[0]);
}

#if defined(__AVX512BF16__)
static void bf16Loop(unsigned) {
  __m512 sums[chains];
  __m512bh a = (__m512bh)_mm512_set1_epi32(0x3f803f80), b = (__m512bh)_mm512_set1_epi32(0x38003800);
  for (int i = 0; i < chains; ++i) {
    sums[i] = _mm512_set1_ps(float(i));
  }
  for (int64_t step = 0; step < steps; ++step) {
#pragma GCC unroll 16
    for (int i = 0; i < chains; ++i) {
      // Without this the loop's multiply by constants could be taken out of it.
      asm volatile("" : "+v"(a));
      sums[i] = _mm512_dpbf16_ps(sums[i], a, b);
    }
  }
  for (int i = 1; i < chains; ++i) {
    sums[0] = _mm512_add_ps(sums[0], sums[i]);
  }
  sink = _mm512_cvtss_f32(sums[0]);
}
#endif

#if defined(__AVX512VNNI__)
static void int8Loop(unsigned) {
  __m512i sums[chains], a = _mm512_set1_epi32(0x01020304), b = _mm512_set1_epi32(0x04030201);
  for (int i = 0; i < chains; ++i) {
    sums[i] = _mm512_set1_epi32(i);
  }
  for (int64_t step = 0; step < steps; ++step) {
#pragma GCC unroll 16
    for (int i = 0; i < chains; ++i) {
      asm volatile("" : "+v"(a));
      sums[i] = _mm512_dpbusd_epi32(sums[i], a, b);
    }
  }
  for (int i = 1; i < chains; ++i) {
    sums[0] = _mm512_add_epi32(sums[0], sums[i]);
  }
  sink = float(_mm_cvtsi128_si32(_mm512_castsi512_si128(sums[0])));
}
#endif

int main(int argc, char **argv) {
  unsigned threads = argc > 1 ? unsigned(atoi(argv[1])) : std::thread::hardware_concurrency();
  threads = threads == 0 ? 1 : threads;
  double flops = double(threads) * chains * steps * lanes * 2;
  double f32 = best(threads, flops, fmaLoop), bf16 = f32, int8 = f32;
#if defined(__AVX512BF16__)
  bf16 = best(threads, flops * 2, bf16Loop);
#endif
#if defined(__AVX512VNNI__)
  int8 = best(threads, flops * 4, int8Loop);
#endif
  constexpr size_t words = (size_t(256) << 20) / sizeof(uint64_t);
  std::vector<std::vector<uint64_t>> blocks(threads, std::vector<uint64_t>(words, 1));
  double read = best(threads, double(threads * words * sizeof(uint64_t)), [&](unsigned t) {
    uint64_t sum = 0;
    for (uint64_t word : blocks[t]) {
      sum += word;
    }
    sink = float(sum);
  });
  printf("{\"threads\": %u, \"f32\": %.4g, \"bf16\": %.4g, \"int8\": %.4g, \"read\": %.4g}\n",
         threads, f32, bf16, int8, read);
  return 0;
}
