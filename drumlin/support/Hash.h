// Content hashes: keys of caches and checksums of files. BLAKE3 with 256 bits: stable over versions
// and machines, and nobody can make two contents of one hash. It says that contents are the same,
// not who made them.
#pragma once

#include "drumlin/support/Blake3.h"

#include <cstddef>
#include <cstdint>
#include <span>
#include <string>
#include <string_view>

namespace drumlin {

// Lower-case hexadecimal digits, most significant first.
inline constexpr size_t contentHashDigits = 64;
std::string contentHash(std::span<const std::byte> bytes);
std::string contentHash(std::string_view text);

// The bytes that the digits of a hash stand for, as files have them.
std::string hashBytes(std::string_view hash);

// The same hash over bytes that come piece by piece: where they are cut doesn't matter, so a caller
// that hashes fields of varying length uses addField(), which hashes the length too.
class Hasher {
public:
  void add(std::span<const std::byte> bytes) { hash.add(bytes); }
  void add(std::string_view text);
  void addField(std::string_view text);
  void addField(uint64_t number);

  // Of all that was added so far; more may be added after.
  std::string str() const;

private:
  Blake3 hash;
};

} // namespace drumlin
