// The BLAKE3 hash (https://github.com/BLAKE3-team/BLAKE3-specs): 256 bits, collision-resistant.
// Chunks of 1,024 bytes are leaves of a binary tree, so that one core hashes one chunk in each lane
// of its vectors.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

namespace drumlin {

class Blake3 {
public:
  // Returns the number of chunks hashed at once: 16 with AVX-512, 8 with AVX2. The digest doesn't
  // depend on it.
  static unsigned widestLanes();
  explicit Blake3(unsigned lanes = widestLanes());

  void add(std::span<const std::byte> bytes);

  using Digest = std::array<std::byte, 32>;
  // Returns the digest of all bytes added so far; more may be added afterwards.
  Digest digest() const;

private:
  using ChainingValue = std::array<uint32_t, 8>;
  static constexpr size_t chunkBytes = 1024;
  // The number of chunks in the largest subtree that is hashed at once. Its parent nodes fill the
  // lanes, too, and its chaining values need little stack.
  static constexpr size_t maxSubtreeChunks = 256;

  void addSubtree(const std::byte *bytes, size_t chunks);
  ChainingValue parent(const ChainingValue &left, const ChainingValue &right, bool isRoot) const;

  unsigned lanes;
  // A chunk that may be the last one, which is hashed differently: it is kept until more bytes
  // follow.
  std::array<std::byte, chunkBytes> pending;
  size_t pendingBytes = 0;
  uint64_t chunks = 0; // before `pending`
  // The values of the largest complete subtrees of these chunks, from left to right.
  std::vector<ChainingValue> subtrees;
};

} // namespace drumlin
