#include "drumlin/support/Blake3.h"

#include <algorithm>
#include <bit>
#include <cstring>
#include <utility>

namespace drumlin {

static_assert(std::endian::native == std::endian::little, "words of a block are little-endian");

static constexpr size_t blockBytes = 64;
static constexpr uint32_t chunkStart = 1, chunkEnd = 2, parentFlag = 4, rootFlag = 8;

// The square roots of the first eight primes, the initial values of SHA-256.
static constexpr uint32_t initial[8] = {0x6a09e667, 0xbb67ae85, 0x3c6ef372, 0xa54ff53a,
                                        0x510e527f, 0x9b05688c, 0x1f83d9ab, 0x5be0cd19};

namespace {
// The order in which each round uses the block's words: each round permutes the previous order.
struct Schedule {
  uint8_t rounds[7][16] = {};
  constexpr Schedule() {
    constexpr uint8_t permutation[16] = {2, 6, 3, 10, 7, 0, 4, 13, 1, 11, 12, 5, 9, 14, 15, 8};
    for (uint8_t i = 0; i < 16; ++i) {
      rounds[0][i] = i;
    }
    for (int round = 1; round < 7; ++round) {
      for (int i = 0; i < 16; ++i) {
        rounds[round][i] = rounds[round - 1][permutation[i]];
      }
    }
  }
};
constexpr Schedule schedules;
constexpr const uint8_t (&schedule)[7][16] = schedules.rounds;

// Inputs of equal length that are hashed independently: full chunks, or pairs of chaining values
// whose parents are computed.
struct Inputs {
  const std::byte *bytes;
  size_t stride; // the bytes of each input; inputs are contiguous
  size_t count;
  bool areChunks;
  uint64_t counter; // the number of the first chunk
  uint32_t *values; // the output: eight words per input
};
} // namespace

// Always inlined: calls between functions for different targets would pass vectors through memory.
#define INLINE static inline __attribute__((always_inline))

namespace one {
#define LANES 1
#include "drumlin/support/Blake3Lanes.inc"
#undef LANES
} // namespace one

#ifdef __x86_64__
#pragma clang attribute push(__attribute__((target("avx2"))), apply_to = function)
namespace eight {
#define LANES 8
#include "drumlin/support/Blake3Lanes.inc"
#undef LANES
} // namespace eight
#pragma clang attribute pop

#pragma clang attribute push(__attribute__((target("avx512f,avx512vl"))), apply_to = function)
namespace sixteen {
#define LANES 16
#include "drumlin/support/Blake3Lanes.inc"
#undef LANES
} // namespace sixteen
#pragma clang attribute pop
#endif

#undef INLINE

unsigned Blake3::widestLanes() {
#ifdef __x86_64__
  static const unsigned widest =
      __builtin_cpu_supports("avx512f") && __builtin_cpu_supports("avx512vl") ? 16
      : __builtin_cpu_supports("avx2")                                        ? 8
                                                                              : 1;
  return widest;
#else
  return 1;
#endif
}

static void compressInputs(unsigned lanes, const Inputs &inputs) {
#ifdef __x86_64__
  // Uses fewer lanes for few inputs, since most of the lanes would be idle.
  if (lanes == 16 && inputs.count > 8) {
    return sixteen::compressInputs(inputs);
  }
  if (lanes >= 8 && inputs.count > 1) {
    return eight::compressInputs(inputs);
  }
#endif
  return one::compressInputs(inputs);
}

Blake3::Blake3(unsigned lanes) : lanes(lanes) {}

Blake3::ChainingValue Blake3::parent(const ChainingValue &left, const ChainingValue &right,
                                     bool isRoot) const {
  uint32_t m[16], cv[8];
  std::copy(left.begin(), left.end(), m);
  std::copy(right.begin(), right.end(), m + 8);
  std::copy(initial, initial + 8, cv);
  one::compress(cv, m, 0, 0, blockBytes, parentFlag | (isRoot ? rootFlag : 0));
  ChainingValue value;
  std::copy(cv, cv + 8, value.begin());
  return value;
}

// Adds `count` full chunks, after which more bytes follow. `count` is a power of two that divides
// `chunks`, the number of chunks added before.
void Blake3::addSubtree(const std::byte *bytes, size_t count) {
  [[clang::uninitialized]] uint32_t memory[2][8 * maxSubtreeChunks];
  uint32_t *values = memory[0], *parents = memory[1];
  compressInputs(lanes, {bytes, chunkBytes, count, true, chunks, values});
  for (size_t left = count; left > 1; left /= 2) {
    compressInputs(lanes, {reinterpret_cast<const std::byte *>(values), blockBytes, left / 2, false,
                           0, parents});
    std::swap(values, parents);
  }
  ChainingValue value;
  std::copy(values, values + 8, value.begin());
  chunks += count;
  // Merges subtrees of equal size, as often as the number of chunks is divisible by two.
  for (uint64_t whole = chunks / count; whole % 2 == 0; whole /= 2) {
    value = parent(subtrees.back(), value, /*isRoot=*/false);
    subtrees.pop_back();
  }
  subtrees.push_back(value);
}

void Blake3::add(std::span<const std::byte> bytes) {
  if (pendingBytes > 0) {
    size_t taken = std::min(bytes.size(), chunkBytes - pendingBytes);
    std::memcpy(pending.data() + pendingBytes, bytes.data(), taken);
    pendingBytes += taken;
    bytes = bytes.subspan(taken);
    if (bytes.empty()) {
      return;
    }
    addSubtree(pending.data(), 1);
    pendingBytes = 0;
  }
  while (bytes.size() > chunkBytes) {
    // Excludes the last chunk, which stays pending.
    size_t count = std::min(std::bit_floor((bytes.size() - 1) / chunkBytes), maxSubtreeChunks);
    while (chunks % count != 0) {
      count /= 2;
    }
    addSubtree(bytes.data(), count);
    bytes = bytes.subspan(count * chunkBytes);
  }
  if (!bytes.empty()) {
    std::memcpy(pending.data(), bytes.data(), bytes.size());
    pendingBytes = bytes.size();
  }
}

Blake3::Digest Blake3::digest() const {
  uint32_t cv[8];
  std::copy(initial, initial + 8, cv);
  size_t offset = 0;
  // Even an empty input has one block.
  do {
    size_t length = std::min(pendingBytes - offset, blockBytes);
    bool isLast = offset + length == pendingBytes;
    uint32_t m[16] = {};
    std::memcpy(m, pending.data() + offset, length);
    uint32_t flags = (offset == 0 ? chunkStart : 0) | (isLast ? chunkEnd : 0) |
                     (isLast && subtrees.empty() ? rootFlag : 0);
    one::compress(cv, m, static_cast<uint32_t>(chunks), static_cast<uint32_t>(chunks >> 32),
                  static_cast<uint32_t>(length), flags);
    offset += length;
  } while (offset < pendingBytes);
  ChainingValue value;
  std::copy(cv, cv + 8, value.begin());
  for (size_t i = subtrees.size(); i > 0; --i) {
    value = parent(subtrees[i - 1], value, /*isRoot=*/i == 1);
  }
  Digest digest;
  std::memcpy(digest.data(), value.data(), digest.size());
  return digest;
}

} // namespace drumlin
