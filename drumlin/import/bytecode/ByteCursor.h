// Reads the basic elements of bytecode. After a failure, all further reads return zero or nothing.
#pragma once

#include <cstdint>
#include <limits>
#include <string_view>

namespace drumlin {

class ByteCursor {
public:
  ByteCursor() = default;
  ByteCursor(std::string_view file, size_t begin, size_t end)
      : file(file), position(begin), limit(end) {}

  bool failed() const { return hasFailed; }
  void fail() { hasFailed = true; }
  size_t offset() const { return position; }
  size_t left() const { return limit - position; }
  bool atEnd() const { return position == limit; }

  uint8_t byte() {
    if (hasFailed || atEnd()) {
      hasFailed = true;
      return 0;
    }
    return static_cast<uint8_t>(file[position++]);
  }

  // Reads a number. The trailing zeros of its first byte give the number of bytes that follow.
  uint64_t number() {
    uint8_t first = byte();
    if (first & 1) {
      return first >> 1;
    }
    unsigned following = first == 0 ? 8 : static_cast<unsigned>(__builtin_ctz(first));
    uint64_t value = first;
    for (unsigned i = 0; i < following; ++i) {
      uint64_t next = byte();
      value = first == 0 ? value | next << (8 * i) : value | next << (8 * (i + 1));
    }
    if (hasFailed) {
      return 0;
    }
    return first == 0 ? value : value >> (following + 1);
  }

  int64_t signedNumber() {
    uint64_t value = number();
    return static_cast<int64_t>(value >> 1) ^ -static_cast<int64_t>(value & 1);
  }

  // Reads the number of following items, which need at least one byte each; fails if fewer bytes
  // remain.
  uint64_t count() {
    uint64_t value = number();
    hasFailed |= value > left();
    return hasFailed ? 0 : value;
  }

  std::string_view bytes(uint64_t size) {
    if (hasFailed || size > left()) {
      hasFailed = true;
      return {};
    }
    position += size;
    return file.substr(position - size, size);
  }

  // Returns a cursor over the next bytes, and skips them.
  ByteCursor part(uint64_t size) {
    size_t begin = position;
    bytes(size);
    ByteCursor inner(file, begin, hasFailed ? begin : begin + size);
    inner.hasFailed = hasFailed;
    return inner;
  }

private:
  std::string_view file;
  size_t position = 0;
  size_t limit = 0;
  bool hasFailed = false;
};

} // namespace drumlin
