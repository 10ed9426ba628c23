// The space of scaled matrix products: all forms in which programs write `dequantize, multiply,
// bias, activation, scale, clamp, quantize`. A spelling is one of these forms, and has one level of
// each factor. A covering set of spellings has every pair of levels that can be combined.
#pragma once

#include "drumlin/support/ElementType.h"

#include <array>
#include <cstdint>
#include <string>
#include <vector>

namespace drumlin {

// DRUMLIN_FACTOR(Name, levels…)
#define DRUMLIN_SCALED_DOT_FACTORS(FACTOR)                                                         \
  FACTOR(LhsType, 10)                                                                              \
  FACTOR(RhsType, 10)                                                                              \
  FACTOR(Wide, 3)                                                                                  \
  FACTOR(LhsScale, 8)                                                                              \
  FACTOR(RhsScale, 8)                                                                              \
  FACTOR(ScaleOperation, 2)                                                                        \
  FACTOR(ScaleSpelling, 2)                                                                         \
  FACTOR(LhsOrder, 2)                                                                              \
  FACTOR(RhsOrder, 2)                                                                              \
  FACTOR(Between, 6)                                                                               \
  FACTOR(Batch, 3)                                                                                 \
  FACTOR(SumType, 2)                                                                               \
  FACTOR(ResultMove, 3)                                                                            \
  FACTOR(Bias, 3)                                                                                  \
  FACTOR(Activation, 8)                                                                            \
  FACTOR(Residual, 2)                                                                              \
  FACTOR(OutputScale, 5)                                                                           \
  FACTOR(Clamp, 3)                                                                                 \
  FACTOR(Output, 5)                                                                                \
  FACTOR(Largest, 4)                                                                               \
  FACTOR(Extra, 4)

enum class Factor : size_t {
#define DRUMLIN_FACTOR_NAME(Name, levels) Name,
  DRUMLIN_SCALED_DOT_FACTORS(DRUMLIN_FACTOR_NAME)
#undef DRUMLIN_FACTOR_NAME
      Count
};
inline constexpr size_t factorCount = static_cast<size_t>(Factor::Count);

enum class ScaleKind { None, Tensor, Row, Column, Block1x128, Block128x128, Mx, Nvfp4 };
enum class Between { Nothing, Transpose, Reshape, Pad, Slice, Broadcast };
enum class ResultMove { None, Reshape, Transpose };
enum class Activation { None, Relu, GeluTanh, GeluErf, Silu, ReluGrad, GeluGrad, SiluGrad };
enum class OutputScale { None, MultiplyBefore, MultiplyAfter, DivideBefore, DivideAfter };
enum class Clamp { None, Exact, OffByRounding };
enum class Largest { None, OfOutput, OfOutputWithoutAbs, BeforeScale };
enum class Extra { None, Sums, Activated, Dequantized };

struct Spelling {
  std::array<uint8_t, factorCount> levels{};

  uint8_t level(Factor factor) const { return levels[static_cast<size_t>(factor)]; }
  template <typename E> E as(Factor factor) const { return static_cast<E>(level(factor)); }
  std::string name() const; // `LhsType=0 RhsType=3 …`
};

// Returns the nearest spelling whose levels are all compatible with each other.
Spelling settled(Spelling spelling);

// Returns `count` distinct spellings whose levels are compatible, chosen by `seed`. They cover all
// pairs: if a spelling with two given levels exists, one with these levels is returned.
std::vector<Spelling> coveringSpellings(size_t count, uint64_t seed);

// Returns the program as StableHLO text.
std::string programOf(const Spelling &spelling);

} // namespace drumlin
