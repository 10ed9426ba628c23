// Content hashes: keys of caches and checksums of files. XXH3 with 128 bits: stable over versions,
// machines and byte orders. It guards against damage and mix-ups, not against someone who wants two
// contents to collide.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <span>
#include <string>
#include <string_view>

namespace drumlin {

// Lower-case hexadecimal digits, most significant first.
inline constexpr size_t contentHashDigits = 32;
std::string contentHash(std::span<const std::byte> bytes);
std::string contentHash(std::string_view text);

// The same hash over bytes that come piece by piece: where they are cut doesn't matter, so a caller
// that hashes fields of varying length uses addField(), which hashes the length too.
class Hasher {
public:
  Hasher();
  ~Hasher();
  Hasher(const Hasher &) = delete;
  Hasher &operator=(const Hasher &) = delete;

  void add(std::span<const std::byte> bytes);
  void add(std::string_view text);
  void addField(std::string_view text);
  void addField(uint64_t number);

  // Of all that was added so far; more may be added after.
  std::string str() const;

private:
  struct State;
  std::unique_ptr<State> state;
};

} // namespace drumlin
