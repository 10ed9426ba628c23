#include "drumlin/support/Hash.h"

#define XXH_INLINE_ALL
#include <xxhash.h>

namespace drumlin {

static std::string hexadecimal(XXH128_hash_t hash) {
  XXH128_canonical_t canonical;
  XXH128_canonicalFromHash(&canonical, hash);
  static constexpr char digits[] = "0123456789abcdef";
  std::string text;
  for (unsigned char byte : canonical.digest) {
    text += digits[byte >> 4];
    text += digits[byte & 15];
  }
  return text;
}

std::string contentHash(std::span<const std::byte> bytes) {
  return hexadecimal(XXH3_128bits(bytes.data(), bytes.size()));
}

std::string contentHash(std::string_view text) {
  return contentHash(std::as_bytes(std::span(text)));
}

struct Hasher::State {
  XXH3_state_t hash;
};

Hasher::Hasher() : state(std::make_unique<State>()) { XXH3_128bits_reset(&state->hash); }

Hasher::~Hasher() = default;

void Hasher::add(std::span<const std::byte> bytes) {
  XXH3_128bits_update(&state->hash, bytes.data(), bytes.size());
}

void Hasher::add(std::string_view text) { add(std::as_bytes(std::span(text))); }

void Hasher::addField(std::string_view text) {
  addField(static_cast<uint64_t>(text.size()));
  add(text);
}

void Hasher::addField(uint64_t number) {
  std::byte bytes[8];
  for (unsigned i = 0; i < 8; ++i) {
    bytes[i] = static_cast<std::byte>(number >> (8 * i));
  }
  add(bytes);
}

std::string Hasher::str() const { return hexadecimal(XXH3_128bits_digest(&state->hash)); }

} // namespace drumlin
