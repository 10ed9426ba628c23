#include "drumlin/support/Hash.h"

namespace drumlin {

static std::string hexadecimal(const Blake3::Digest &digest) {
  static constexpr char digits[] = "0123456789abcdef";
  std::string text;
  for (std::byte byte : digest) {
    text += digits[static_cast<unsigned>(byte) >> 4];
    text += digits[static_cast<unsigned>(byte) & 15];
  }
  return text;
}

static_assert(2 * sizeof(Blake3::Digest) == contentHashDigits);

std::string contentHash(std::span<const std::byte> bytes) {
  Blake3 hash;
  hash.add(bytes);
  return hexadecimal(hash.digest());
}

std::string contentHash(std::string_view text) {
  return contentHash(std::as_bytes(std::span(text)));
}

std::string hashBytes(std::string_view hash) {
  auto value = [](char digit) { return digit <= '9' ? digit - '0' : digit - 'a' + 10; };
  std::string bytes;
  for (size_t i = 0; i + 1 < hash.size(); i += 2) {
    bytes += static_cast<char>(value(hash[i]) * 16 + value(hash[i + 1]));
  }
  return bytes;
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

std::string Hasher::str() const { return hexadecimal(hash.digest()); }

} // namespace drumlin
