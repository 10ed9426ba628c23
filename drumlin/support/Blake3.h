// The BLAKE3 hash (https://github.com/BLAKE3-team/BLAKE3-specs): 256 bits that nobody can choose
// two contents for. Chunks of 1,024 bytes are leaves of a binary tree, so that one core hashes as
// many of them at once as its vectors have lanes.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

namespace drumlin {

class Blake3 {
public:
  // How many chunks are hashed at once: 16 takes AVX-512, 8 AVX2. All give the same digest.
  static unsigned widestLanes();
  explicit Blake3(unsigned lanes = widestLanes());

  void add(std::span<const std::byte> bytes);

  using Digest = std::array<std::byte, 32>;
  // Of all that was added so far; more may be added after.
  Digest digest() const;

private:
  using ChainingValue = std::array<uint32_t, 8>;
  static constexpr size_t chunkBytes = 1024;
  // Hashed at once: their parents fill the lanes, too, and their values little of the stack.
  static constexpr size_t maxSubtreeChunks = 256;

  void addSubtree(const std::byte *bytes, size_t chunks);
  ChainingValue parent(const ChainingValue &left, const ChainingValue &right, bool isRoot) const;

  unsigned lanes;
  // The chunk that may be the last one, which is hashed in another way: it is kept until more
  // follows.
  std::array<std::byte, chunkBytes> pending;
  size_t pendingBytes = 0;
  uint64_t chunks = 0; // before it
  // Of the largest whole subtrees that these make, from left to right.
  std::vector<ChainingValue> subtrees;
};

} // namespace drumlin
