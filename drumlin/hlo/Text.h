// A string in a module. Up to 15 characters are stored in the object, longer strings on the heap or
// in an arena that outlives them.
#pragma once

#include "drumlin/support/Arena.h"

#include <algorithm>
#include <concepts>
#include <cstdint>
#include <cstring>
#include <ostream>
#include <string>
#include <string_view>
#include <utility>

namespace drumlin::hlo {

class Text {
public:
  Text() = default;
  Text(std::string_view text) { set(text, nullptr); }
  Text(const char *text) : Text(std::string_view(text)) {}
  Text(const std::string &text) : Text(std::string_view(text)) {}
  Text(const Text &from) : Text(from.view()) {}
  Text(Text &&from) noexcept { take(from); }
  Text &operator=(std::string_view text) { return *this = Text(text); }
  Text &operator=(const char *text) { return *this = Text(text); }
  Text &operator=(const std::string &text) { return *this = Text(text); }
  Text &operator=(const Text &from) { return *this = Text(from); }
  Text &operator=(Text &&from) noexcept {
    if (this != &from) {
      free();
      take(from);
    }
    return *this;
  }
  ~Text() { free(); }

  // Stores a copy of the text, in the arena if it is long.
  void assign(std::string_view text, Arena &arena) {
    free();
    set(text, &arena);
  }

  std::string_view view() const {
    return state <= mostInside ? std::string_view(bytes, state)
                               : std::string_view(outside(), outsideSize());
  }
  operator std::string_view() const { return view(); }
  std::string str() const { return std::string(view()); }
  size_t size() const { return view().size(); }
  bool empty() const { return state == 0; }
  char operator[](size_t place) const { return view()[place]; }

  template <std::convertible_to<std::string_view> T>
  friend bool operator==(const Text &a, const T &b) {
    return a.view() == std::string_view(b);
  }
  friend std::string operator+(std::string before, const Text &text) {
    return before.append(text.view());
  }
  friend std::ostream &operator<<(std::ostream &out, const Text &text) {
    return out << text.view();
  }

private:
  static constexpr uint8_t mostInside = 15, isOwned = 16, isBorrowed = 17;

  void set(std::string_view text, Arena *arena) {
    if (text.size() <= mostInside) {
      copyFew(text.data(), text.size());
      state = static_cast<uint8_t>(text.size());
      return;
    }
    char *data = arena ? arena->allocate<char>(text.size()) : new char[text.size()];
    std::copy(text.begin(), text.end(), data);
    uint64_t size = text.size();
    std::memcpy(bytes, &data, sizeof(data));
    std::memcpy(bytes + sizeof(data), &size, mostInside - sizeof(data));
    state = arena ? isBorrowed : isOwned;
  }
  // Copies at most 15 bytes with two moves that may overlap, which costs less than calling memcpy.
  void copyFew(const char *from, size_t count) {
    auto copy = [&](auto number) {
      size_t second = count - sizeof(number);
      auto last = number;
      std::memcpy(&number, from, sizeof(number));
      std::memcpy(&last, from + second, sizeof(number));
      std::memcpy(bytes, &number, sizeof(number));
      std::memcpy(bytes + second, &last, sizeof(number));
    };
    if (count >= sizeof(uint64_t)) {
      copy(uint64_t());
    } else if (count >= sizeof(uint32_t)) {
      copy(uint32_t());
    } else if (count >= sizeof(uint16_t)) {
      copy(uint16_t());
    } else if (count != 0) {
      bytes[0] = *from;
    }
  }
  void take(Text &from) {
    std::memcpy(bytes, from.bytes, sizeof(bytes));
    state = std::exchange(from.state, uint8_t(0));
  }
  void free() {
    if (state == isOwned) {
      delete[] outside();
    }
    state = 0;
  }

  // Returns the address of a string that is stored outside of the object. `bytes` has the address,
  // then the string's size in seven bytes. This requires a little-endian machine.
  const char *outside() const {
    const char *data = nullptr;
    std::memcpy(&data, bytes, sizeof(data));
    return data;
  }
  size_t outsideSize() const {
    uint64_t size = 0;
    std::memcpy(&size, bytes + sizeof(char *), mostInside - sizeof(char *));
    return size;
  }

  alignas(char *) char bytes[mostInside];
  uint8_t state = 0; // size of a string inside the object; else isOwned or isBorrowed
};

} // namespace drumlin::hlo
