// How freely kernels may compute inside one dot or convolution (docs/architecture.md, "Numerics").
#pragma once

#include <cstdint>

namespace drumlin {

enum class Numerics : uint8_t {
  // Products of bf16, and of the fp8 types that bf16 holds, go through the target's bf16 dot
  // instruction, which flushes subnormal operands and sums.
  Default,
  // Every product and sum is an instruction of the accumulation type.
  Strict,
};

} // namespace drumlin
