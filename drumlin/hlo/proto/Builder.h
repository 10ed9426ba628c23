// Builders of protobuf messages. Fields can be set in any order. Serializing omits fields with
// default values and packs repeated numbers.
#pragma once

#include "drumlin/hlo/proto/View.h"
#include "drumlin/support/Arena.h"

#include <bit>
#include <memory>
#include <new>
#include <string>

namespace drumlin::hlo::proto {

// Returns the bits with which a number is serialized.
template <typename T> uint64_t bitsOf(T value) {
  if constexpr (std::is_same_v<T, float>) {
    return std::bit_cast<uint32_t>(value);
  } else if constexpr (std::is_same_v<T, double>) {
    return std::bit_cast<uint64_t>(value);
  } else {
    return static_cast<uint64_t>(static_cast<int64_t>(value));
  }
}

template <typename T> T fromBits(uint64_t bits) {
  if constexpr (std::is_same_v<T, float>) {
    return std::bit_cast<float>(static_cast<uint32_t>(bits));
  } else if constexpr (std::is_same_v<T, double>) {
    return std::bit_cast<double>(bits);
  } else {
    return static_cast<T>(bits);
  }
}

// A buffer that is filled from its end to its start. A message's content is thus written first, and
// then its length, which precedes the content.
class ReverseBytes {
public:
  ReverseBytes() = default;
  // Reserves `size` bytes; the buffer grows if more are written.
  explicit ReverseBytes(size_t size) { grow(size); }
  size_t size() const { return capacity - begin; }
  std::string_view bytes() const { return {memory.get() + begin, size()}; }

  void text(std::string_view text) { std::copy(text.begin(), text.end(), take(text.size())); }
  void varint(uint64_t value) {
    if (value < 0x80) { // a single byte, the usual case
      *take(1) = static_cast<char>(value);
      return;
    }
    char *to = take(std::max<size_t>((std::bit_width(value) + 6) / 7, 1));
    for (; value >= 0x80; value >>= 7) {
      *to++ = static_cast<char>(value | 0x80);
    }
    *to = static_cast<char>(value);
  }
  void number(uint64_t bits, WireType type) {
    if (type == varintWire) {
      varint(bits);
    } else { // copies the bytes: requires a little-endian machine
      size_t width = type == fixed32Wire ? 4 : 8;
      std::memcpy(take(width), &bits, width);
    }
  }
  // Writes the tag and the length of a field whose content is already written. `before`: size()
  // before the content was written.
  void beginField(uint32_t number, size_t before) {
    size_t length = size() - before;
    if (uint32_t tag = tagOf(number, bytesWire); tag < 0x80 && length < 0x80) { // usual
      char *to = take(2);
      to[0] = static_cast<char>(tag);
      to[1] = static_cast<char>(length);
      return;
    }
    varint(length);
    varint(tagOf(number, bytesWire));
  }

private:
  char *take(size_t count) {
    if (count > begin) {
      grow(count);
    }
    begin -= count;
    return memory.get() + begin;
  }
  void grow(size_t count);

  std::unique_ptr<char[]> memory;
  size_t capacity = 0, begin = 0;
};

// An exclusive upper bound of field numbers.
inline constexpr uint32_t maxFields = 128;

// A message. Its fields and nested messages are in an arena, either the given one or its own.
class Builder {
public:
  // Creates a message whose field numbers are at most `maxNumber`.
  explicit Builder(uint32_t maxNumber)
      : ownArena(std::make_unique<Arena>()), arena(ownArena.get()),
        fields(arena->allocate<Field>(maxNumber + 1)) {}
  Builder(uint32_t maxNumber, Arena &arena)
      : arena(&arena), fields(arena.allocate<Field>(maxNumber + 1)) {}
  Builder(Builder &&) = default;
  Builder &operator=(Builder &&) = default;

  void write(ReverseBytes &out) const { writeFields(out, 0, maxFields); }
  // Writes the fields whose numbers are in [first, end).
  void writeFields(ReverseBytes &out, uint32_t first, uint32_t end) const;
  std::string SerializeAsString() const {
    ReverseBytes out;
    write(out);
    return std::string(out.bytes());
  }

  // Access to fields by their numbers. Callers must use the types of Hlo.proto.
  bool has(uint32_t number) const { return (isSet[number / 64] >> number % 64 & 1) != 0; }
  void clear(uint32_t number) { isSet[number / 64] &= ~(uint64_t(1) << number % 64); }
  size_t count(uint32_t number) const { return has(number) ? fields[number].count : 0; }

  void setNumber(uint32_t number, WireType type, uint64_t bits) {
    set(number, Kind::Number, type).number = bits;
  }
  uint64_t number(uint32_t number) const { return has(number) ? fields[number].number : 0; }
  void addNumber(uint32_t number, WireType type, uint64_t bits) {
    Field &field = list(number, Kind::Numbers, type);
    push(field, field.numbers, bits);
  }
  uint64_t &numberAt(uint32_t number, size_t index) { return fields[number].numbers[index]; }

  void setText(uint32_t number, std::string_view text) {
    Field &field = set(number, Kind::Text, bytesWire);
    field.text = arena->copy(text).data();
    field.count = static_cast<uint32_t>(text.size());
  }
  std::string_view text(uint32_t number) const {
    return has(number) ? std::string_view(fields[number].text, fields[number].count)
                       : std::string_view();
  }
  void addText(uint32_t number, std::string_view text) {
    Field &field = list(number, Kind::Texts, bytesWire);
    push(field, field.texts, arena->copy(text));
  }

  // `T`: the message type of the field.
  template <typename T> T &addMessage(uint32_t number) {
    T *message = new (arena->allocate<T>(1)) T(*arena);
    add(number, message);
    return *message;
  }
  Builder &addMessage(uint32_t number, uint32_t maxNumber) {
    Builder *message = new (arena->allocate<Builder>(1)) Builder(maxNumber, *arena);
    add(number, message);
    return *message;
  }
  template <typename T> T &messageAt(uint32_t number, size_t index) const {
    return static_cast<T &>(*fields[number].messages[index]);
  }
  template <typename T> T &onlyMessage(uint32_t number) {
    return has(number) ? messageAt<T>(number, 0) : addMessage<T>(number);
  }
  template <typename T> const T &onlyMessageOrNone(uint32_t number) const {
    static const T none;
    return has(number) ? messageAt<T>(number, 0) : none;
  }

private:
  enum class Kind : uint8_t { Number, Text, Numbers, Texts, Messages };

  // A field's value. A single message is stored as a list of one.
  struct Field {
    Kind kind;
    WireType type;
    uint32_t count, capacity; // list size, or length of a text
    union {
      uint64_t number;
      const char *text;
      uint64_t *numbers;
      std::string_view *texts;
      Builder **messages;
    };
  };

  Field &set(uint32_t number, Kind kind, WireType type) {
    isSet[number / 64] |= uint64_t(1) << number % 64;
    Field &field = fields[number];
    field.kind = kind;
    field.type = type;
    return field;
  }
  Field &list(uint32_t number, Kind kind, WireType type) {
    if (has(number)) {
      return fields[number];
    }
    Field &field = set(number, kind, type);
    field.count = field.capacity = 0;
    return field;
  }
  template <typename T> void push(Field &field, T *&items, T item) {
    if (field.count == field.capacity) {
      constexpr uint32_t few = 4;
      field.capacity = std::max(2 * field.capacity, few);
      T *larger = arena->allocate<T>(field.capacity);
      std::copy(items, items + field.count, larger);
      items = larger;
    }
    items[field.count++] = item;
  }
  void add(uint32_t number, Builder *message) {
    Field &field = list(number, Kind::Messages, bytesWire);
    push(field, field.messages, message);
  }
  static void write(uint32_t number, const Field &field, ReverseBytes &out);

  std::unique_ptr<Arena> ownArena;
  Arena *arena;
  uint64_t isSet[maxFields / 64] = {};
  Field *fields; // indexed by field number; valid only for fields that are set
};

} // namespace drumlin::hlo::proto
