// Messages that are being put together, field by field in any order, and then written. What is left
// at its default isn't written; numbers of a repeated field are packed.
#pragma once

#include "drumlin/hlo/proto/View.h"

#include <bit>
#include <memory>
#include <string>
#include <utility>
#include <variant>
#include <vector>

namespace drumlin::hlo::proto {

// Numbers of all types as the bits that are written.
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

class Builder {
public:
  Builder() = default;
  Builder(const Builder &other) { *this = other; }
  Builder &operator=(const Builder &other);
  Builder(Builder &&) = default;
  Builder &operator=(Builder &&) = default;
  virtual ~Builder() = default;

  // An empty message of the same kind.
  virtual std::unique_ptr<Builder> make() const { return std::make_unique<Builder>(); }

  void write(std::string &out) const;
  std::string SerializeAsString() const {
    std::string out;
    write(out);
    return out;
  }
  // Empties the message. The memory of its fields and of messages in it is used again.
  void clear() {
    for (Slot &slot : slots) {
      slot.isSet = false;
    }
  }

  // The fields by their numbers; the types are those of Hlo.proto.
  void setNumber(uint32_t number, WireType type, uint64_t bits);
  uint64_t firstNumber(uint32_t number) const { return valueOr<uint64_t>(number); }
  size_t numberCount(uint32_t number) const { return valueOr<Numbers>(number).size(); }
  std::vector<uint64_t> &numbers(uint32_t number, WireType type) {
    return value<Numbers>(number, type);
  }
  void setText(uint32_t number, std::string_view text);
  void addText(uint32_t number, std::string_view text);
  std::string_view text(uint32_t number) const { return valueOr<std::string>(number); }
  size_t messageCount(uint32_t number) const { return valueOr<Messages>(number).count; }
  void clear(uint32_t number) {
    for (Slot &slot : slots) {
      slot.isSet &= slot.number != number;
    }
  }
  bool has(uint32_t number) const { return find(number) != nullptr; }

  template <typename T> T &addMessage(uint32_t number) {
    Messages &messages = value<Messages>(number, bytesWire);
    if (messages.count == messages.all.size()) {
      messages.all.push_back(std::make_unique<T>());
    }
    Builder &added = *messages.all[messages.count++];
    added.clear();
    return static_cast<T &>(added);
  }
  template <typename T> T &messageAt(uint32_t number, size_t index) {
    return static_cast<T &>(*value<Messages>(number, bytesWire).all.at(index));
  }
  template <typename T> const T &messageAt(uint32_t number, size_t index) const {
    return static_cast<const T &>(*valueOr<Messages>(number).all.at(index));
  }
  template <typename T> T &onlyMessage(uint32_t number) {
    return messageCount(number) == 0 ? addMessage<T>(number) : messageAt<T>(number, 0);
  }
  template <typename T> const T &onlyMessageOrNone(uint32_t number) const {
    static const T none;
    return messageCount(number) == 0 ? none : messageAt<T>(number, 0);
  }

private:
  using Numbers = std::vector<uint64_t>;
  using Texts = std::vector<std::string>;
  struct Messages {
    std::vector<std::unique_ptr<Builder>> all; // of which the first `count` are the field's
    size_t count = 0;

    void clear() { count = 0; }
  };

  // A field: a number, a text, or several of a kind. A single message is one of several.
  struct Slot {
    uint32_t number = 0;
    WireType type = varintWire;
    bool isSet = false; // else the value is memory to be used again
    std::variant<uint64_t, std::string, Numbers, Texts, Messages> value;
  };

  // The field's value of this kind, which is made where there is none.
  template <typename Kind> Kind &value(uint32_t number, WireType type) {
    Slot &to = slot(number, type);
    Kind *kind = std::get_if<Kind>(&to.value);
    bool isNew = !std::exchange(to.isSet, true);
    if (kind && isNew) {
      kind->clear();
    }
    return kind ? *kind : to.value.emplace<Kind>();
  }
  template <typename Kind> const Kind &valueOr(uint32_t number) const {
    static const Kind none{};
    const Slot *slot = find(number);
    const Kind *kind = slot ? std::get_if<Kind>(&slot->value) : nullptr;
    return kind ? *kind : none;
  }

  Slot &slot(uint32_t number, WireType type);
  const Slot *find(uint32_t number) const;
  static void write(const Slot &slot, std::string &out);

  std::vector<Slot> slots; // by their numbers
};

} // namespace drumlin::hlo::proto
