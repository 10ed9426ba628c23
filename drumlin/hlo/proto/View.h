// Views of serialized protobuf messages. A view reads a field at each access and caches nothing.
// The bytes must have passed `firstInvalidField` (Wire.h), so that no length exceeds them.
#pragma once

#include <algorithm>
#include <cstdint>
#include <cstring>
#include <iterator>
#include <span>
#include <string_view>
#include <type_traits>

namespace drumlin::hlo::proto {

enum WireType : uint32_t { varintWire = 0, fixed64Wire = 1, bytesWire = 2, fixed32Wire = 5 };

// The wire type of a single value of a C++ type.
template <typename T>
inline constexpr WireType wireType = std::is_same_v<T, float>    ? fixed32Wire
                                     : std::is_same_v<T, double> ? fixed64Wire
                                                                 : varintWire;

constexpr uint32_t tagOf(uint32_t number, WireType type) { return number << 3 | type; }

inline uint64_t takeVarint(const char *&at) {
  uint64_t value = static_cast<uint8_t>(*at++);
  if (value < 0x80) { // a single byte, the usual case
    return value;
  }
  value &= 0x7f;
  for (unsigned shift = 7;; shift += 7) {
    auto byte = static_cast<uint8_t>(*at++);
    value |= uint64_t(byte & 0x7f) << shift;
    if (byte < 0x80) {
      return value;
    }
  }
}

// A field's tag and content. Some fields begin with a length, which isn't part of the content. The
// members have no initializers, since FoundFields has an array of WireField that is only partly
// used.
struct WireField {
  uint32_t tag;
  uint32_t size;
  const char *data;

  std::string_view bytes() const { return {data, size}; }
};

inline WireField takeField(const char *&at) {
  WireField field{};
  field.tag = static_cast<uint32_t>(takeVarint(at));
  switch (field.tag & 7) {
  case fixed64Wire:
    field.size = 8;
    break;
  case fixed32Wire:
    field.size = 4;
    break;
  case bytesWire:
    field.size = static_cast<uint32_t>(takeVarint(at));
    break;
  default:
    const char *end = at;
    while (static_cast<uint8_t>(*end++) >= 0x80) {
    }
    field.size = static_cast<uint32_t>(end - at);
    break;
  }
  field.data = at;
  at += field.size;
  return field;
}

template <typename T> T takeNumber(const char *&at) {
  if constexpr (wireType<T> == varintWire) {
    return static_cast<T>(takeVarint(at));
  } else { // floats; requires a little-endian machine
    T number;
    std::memcpy(&number, at, sizeof(T));
    at += sizeof(T);
    return number;
  }
}

// Calls `use` with each number of a packed field, or with the single number of a field that isn't
// packed.
template <typename T, typename Use> void eachNumber(const WireField &field, Use use) {
  for (const char *at = field.data, *end = at + field.size; at != end;) {
    use(takeNumber<T>(at));
  }
}

// An index of a message's fields.
struct FoundFields {
  // Maximum number of fields in the index. Messages with more fields, which are rare, are searched
  // at each access.
  static constexpr size_t most = 32;
  // Size of `first` and `last`, which are indexed by field number. The few fields with larger
  // numbers share the last entry.
  static constexpr uint32_t numbers = 128;

  explicit FoundFields(std::string_view bytes) {
    const char *at = bytes.data(), *end = at + bytes.size();
    size_t place = 0;
    for (; at != end && place < most; ++place) {
      WireField field = takeField(at);
      fields[place] = field;
      uint32_t number = std::min(field.tag >> 3, numbers - 1);
      uint64_t &word = seen[number / 64];
      uint64_t bit = uint64_t(1) << number % 64;
      if ((word & bit) == 0) {
        word |= bit;
        first[number] = static_cast<uint8_t>(place);
      }
      last[number] = static_cast<uint8_t>(place);
    }
    count = place;
    isWhole = at == end;
  }

  // Returns false only if the message has no field with this number. May return true for a large
  // number that the message doesn't have.
  bool mayHave(uint32_t number) const {
    number = std::min(number, numbers - 1);
    return (seen[number / 64] >> number % 64 & 1) != 0;
  }
  // Returns the last field with this number, which must exist.
  const WireField &lastWith(uint32_t number) const {
    return fields[last[std::min(number, numbers - 1)]];
  }
  // Returns the fields from the first to the last with this number. Other fields may be in between,
  // but rarely are.
  std::span<const WireField> with(uint32_t number) const {
    if (!mayHave(number)) {
      return {};
    }
    number = std::min(number, numbers - 1);
    return {fields + first[number], size_t(last[number] - first[number] + 1)};
  }

  size_t count = 0;
  bool isWhole = false;
  uint64_t seen[2] = {0, 0};
  uint8_t first[numbers], last[numbers]; // indices in `fields`; valid if the number is in `seen`
  WireField fields[most];
};

// Iterates over fields, either in a message's bytes or in a range of indexed fields.
class Cursor {
public:
  Cursor() = default;
  explicit Cursor(std::string_view bytes) : at(bytes.data()), end(bytes.data() + bytes.size()) {}
  explicit Cursor(std::span<const WireField> found)
      : next(found.data()), last(found.data() + found.size()) {}

  bool take(WireField &field) {
    if (next) {
      if (next == last) {
        return false;
      }
      field = *next++;
      return true;
    }
    if (at == end) {
      return false;
    }
    field = takeField(at);
    return true;
  }

private:
  const char *at = nullptr, *end = nullptr;
  const WireField *next = nullptr, *last = nullptr;
};

class View {
public:
  View() = default;
  explicit View(std::string_view bytes) : contents(bytes) {}
  View(std::string_view bytes, const FoundFields &fields)
      : contents(bytes), found(fields.isWhole ? &fields : nullptr) {}

  Cursor cursor() const { return Cursor(contents); }
  // Returns a cursor over all fields with this number. The cursor may also visit other fields.
  Cursor cursor(uint32_t number) const {
    return !found                    ? Cursor(contents)
           : !found->mayHave(number) ? Cursor()
                                     : Cursor(found->with(number));
  }
  std::string_view bytes() const { return contents; }

protected:
  // Finds the last field with this tag. Ignores fields with the same number but another wire type.
  bool find(uint32_t tag, WireField &result) const {
    if (found) {
      if (!found->mayHave(tag >> 3)) {
        return false;
      }
      result = found->lastWith(tag >> 3);
      if (result.tag == tag) { // usually the wire type matches
        return true;
      }
    }
    return findPresent(tag, result);
  }
  bool findPresent(uint32_t tag, WireField &result) const {
    bool isFound = false;
    WireField field{};
    for (Cursor fields = cursor(tag >> 3); fields.take(field);) {
      if (field.tag == tag) {
        result = field;
        isFound = true;
      }
    }
    return isFound;
  }
  bool has(uint32_t number) const {
    WireField field{};
    return find(tagOf(number, bytesWire), field);
  }
  std::string_view text(uint32_t number) const {
    WireField field{};
    return find(tagOf(number, bytesWire), field) ? field.bytes() : std::string_view();
  }
  template <typename T> T number(uint32_t number) const {
    WireField field{};
    return find(tagOf(number, wireType<T>), field) ? takeNumber<T>(field.data) : T();
  }

private:
  std::string_view contents;
  const FoundFields *found = nullptr;
};

// The values of a repeated field. `Next` must have a type `value_type` and two functions: `bool
// next()` moves to the first or the next value, and returns false if there is none; `value()`
// returns the value.
template <typename Next> class Repeated {
public:
  using value_type = typename Next::value_type;

  class Iterator {
  public:
    using value_type = Repeated::value_type;
    using reference = value_type;
    using pointer = const value_type *;
    using difference_type = std::ptrdiff_t;
    using iterator_category = std::forward_iterator_tag;

    Iterator() = default;
    explicit Iterator(Next values) : values(values), isAtEnd(!this->values.next()) {}
    value_type operator*() const { return values.value(); }
    Iterator &operator++() {
      isAtEnd = !values.next();
      ++place;
      return *this;
    }
    Iterator operator++(int) {
      Iterator before = *this;
      ++*this;
      return before;
    }
    bool operator==(const Iterator &other) const {
      return isAtEnd == other.isAtEnd && (isAtEnd || place == other.place);
    }

  private:
    Next values;
    size_t place = 0;
    bool isAtEnd = true;
  };

  Repeated(const View &view, uint32_t number) : values(view, number) {}
  Iterator begin() const { return Iterator(values); }
  Iterator end() const { return Iterator(); }
  bool empty() const { return begin() == end(); }
  size_t size() const { return static_cast<size_t>(std::distance(begin(), end())); }
  // Returns the value at an index, or a default value if the field has fewer values.
  value_type at(size_t place) const {
    for (value_type value : *this) {
      if (place-- == 0) {
        return value;
      }
    }
    return value_type();
  }

private:
  Next values;
};

// Iterates over repeated numbers, which may be packed or one per field.
template <typename T> class NextNumber {
public:
  using value_type = T;
  NextNumber() = default;
  NextNumber(const View &view, uint32_t number) : fields(view.cursor(number)), number(number) {}

  bool next() {
    while (at == end) {
      WireField field{};
      do {
        if (!fields.take(field)) {
          return false;
        }
      } while (field.tag != tagOf(number, bytesWire) && field.tag != tagOf(number, wireType<T>));
      at = field.data;
      end = field.data + field.size;
    }
    current = takeNumber<T>(at);
    return true;
  }
  T value() const { return current; }

private:
  Cursor fields;
  uint32_t number = 0;
  T current = T();
  const char *at = nullptr, *end = nullptr;
};
template <typename T> using Numbers = Repeated<NextNumber<T>>;

// Iterates over repeated messages or texts.
template <typename T> class NextItem {
public:
  using value_type = T;
  NextItem() = default;
  NextItem(const View &view, uint32_t number)
      : fields(view.cursor(number)), tag(tagOf(number, bytesWire)) {}

  bool next() {
    while (fields.take(field)) {
      if (field.tag == tag) {
        return true;
      }
    }
    return false;
  }
  T value() const { return T(field.bytes()); }

private:
  Cursor fields;
  uint32_t tag = 0;
  WireField field{};
};
template <typename T> using Items = Repeated<NextItem<T>>;

// A view with an index of its fields, for messages of which many fields are read. Views that are
// copied from it use its index, so they must not outlive it.
template <typename Message> class Found : private FoundFields, public Message {
public:
  explicit Found(std::string_view bytes)
      : FoundFields(bytes), Message(bytes, static_cast<const FoundFields &>(*this)) {}
  explicit Found(const Message &message) : Found(message.bytes()) {}
  Found(const Found &) = delete;
  Found &operator=(const Found &) = delete;

  size_t fieldCount() const { return count; }
};

} // namespace drumlin::hlo::proto
