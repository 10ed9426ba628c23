// Content hashes, used as keys of caches and checksums of files. BLAKE3 with 256 bits: stable
// across versions and machines, and collision-resistant. A hash proves that contents are equal, not
// who made them.
#pragma once

#include "drumlin/support/Blake3.h"

#include <cstddef>
#include <cstdint>
#include <span>
#include <string>
#include <string_view>

namespace drumlin {

// Hashes are lower-case hexadecimal, most significant digit first.
inline constexpr size_t contentHashDigits = 64;
std::string contentHash(std::span<const std::byte> bytes);
std::string contentHash(std::string_view text);

// Converts a hash's digits to bytes, the form stored in files.
std::string hashBytes(std::string_view hash);

// Computes the same hash of bytes added piece by piece. The boundaries between pieces don't matter,
// so callers that hash fields of varying length use addField(), which hashes the length too.
class Hasher {
public:
  void add(std::span<const std::byte> bytes) { hash.add(bytes); }
  void add(std::string_view text);
  void addField(std::string_view text);
  void addField(uint64_t number);

  // Returns the hash of all bytes added so far; more may be added afterwards.
  std::string str() const;

private:
  Blake3 hash;
};

} // namespace drumlin
