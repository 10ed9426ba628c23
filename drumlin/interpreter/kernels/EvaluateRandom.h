// Random bits and numbers. The bits are those of XLA's counter-based generators, word for word:
// Threefry-2x32 with 20 rounds and Philox-4x32 with 10 (Salmon et al., Parallel random numbers: as
// easy as 1, 2, 3; SC 2011).
#pragma once

#include "drumlin/interpreter/kernels/Allocation.h"

#include <array>
#include <cstdint>

namespace drumlin::interpreter {

std::array<uint32_t, 2> threefry2x32(std::array<uint32_t, 2> counter, std::array<uint32_t, 2> key);
std::array<uint32_t, 4> philox4x32(std::array<uint32_t, 4> counter, std::array<uint32_t, 2> key);

enum class RandomBits : uint8_t { Threefry, Philox };

// The new state, and a tensor of random bits. The state has type ui64 and consists of a key and a
// counter. The counter has 64 bits for Threefry. For Philox it has 128 bits in two elements; if the
// state has only one element for it, the key is the counter's upper half. The counter grows by the
// number of drawn blocks. Elements of fewer than 32 bits are the low bits of 32-bit words.
struct RandomBitsResult {
  Tensor state;
  Tensor output;
};
Result<RandomBitsResult> randomBits(RandomBits generator, const Tensor &state, ElementType type,
                                    const Shape &shape, const KernelOptions &options);

// Returns uniform numbers of [low, high). All integers, or both booleans, are equally likely; a
// floating-point number is `low` plus a multiple of 2^-24 (2^-53 for f64) of the interval's length.
// `stream` numbers the draws of a run: each draw has different bits, the same in every run.
Result<Tensor> uniformNumbers(const Tensor &low, const Tensor &high, const Shape &shape,
                              uint64_t stream, const KernelOptions &options);

// Returns normally distributed numbers, by Box and Muller (A note on the generation of random
// normal deviates, 1958).
Result<Tensor> normalNumbers(const Tensor &mean, const Tensor &deviation, const Shape &shape,
                             uint64_t stream, const KernelOptions &options);

} // namespace drumlin::interpreter
