#include "drumlin/hlo/proto/Builder.h"

namespace drumlin::hlo::proto {

Builder &Builder::operator=(const Builder &other) {
  std::vector<Slot> copies;
  copies.reserve(other.slots.size());
  for (const Slot &slot : other.slots) {
    Slot &copy = copies.emplace_back();
    copy.number = slot.number;
    copy.type = slot.type;
    copy.isSet = slot.isSet;
    if (const auto *messages = std::get_if<Messages>(&slot.value)) {
      Messages &to = copy.value.emplace<Messages>();
      for (; to.count < messages->count; ++to.count) {
        const Builder &message = *messages->all[to.count];
        *to.all.emplace_back(message.make()) = message;
      }
    } else if (const auto *texts = std::get_if<Texts>(&slot.value)) {
      copy.value = *texts;
    } else if (const auto *numbers = std::get_if<Numbers>(&slot.value)) {
      copy.value = *numbers;
    } else if (const auto *text = std::get_if<std::string>(&slot.value)) {
      copy.value = *text;
    } else {
      copy.value = std::get<uint64_t>(slot.value);
    }
  }
  slots = std::move(copies);
  return *this;
}

Builder::Slot &Builder::slot(uint32_t number, WireType type) {
  auto place = std::lower_bound(slots.begin(), slots.end(), number,
                                [](const Slot &slot, uint32_t n) { return slot.number < n; });
  if (place == slots.end() || place->number != number) {
    constexpr size_t few = 8;
    if (slots.empty()) {
      slots.reserve(few);
      place = slots.end();
    }
    place = slots.insert(place, Slot());
    place->number = number;
    place->type = type;
  }
  return *place;
}

const Builder::Slot *Builder::find(uint32_t number) const {
  auto place = std::find_if(slots.begin(), slots.end(),
                            [&](const Slot &slot) { return slot.number == number && slot.isSet; });
  return place == slots.end() ? nullptr : &*place;
}

void Builder::setNumber(uint32_t number, WireType type, uint64_t bits) {
  Slot &to = slot(number, type);
  to.value = bits;
  to.isSet = true;
}

void Builder::setText(uint32_t number, std::string_view text) {
  value<std::string>(number, bytesWire) = text;
}

void Builder::addText(uint32_t number, std::string_view text) {
  value<Texts>(number, bytesWire).emplace_back(text);
}

static void writeVarint(uint64_t value, std::string &out) {
  for (; value >= 0x80; value >>= 7) {
    out += static_cast<char>(value | 0x80);
  }
  out += static_cast<char>(value);
}

static void writeNumber(uint64_t bits, WireType type, std::string &out) {
  if (type == varintWire) {
    writeVarint(bits, out);
    return;
  }
  for (unsigned byte = 0; byte < (type == fixed32Wire ? 4 : 8); ++byte) {
    out += static_cast<char>(bits >> 8 * byte);
  }
}

static void writeText(uint32_t number, std::string_view text, std::string &out) {
  writeVarint(tagOf(number, bytesWire), out);
  writeVarint(text.size(), out);
  out += text;
}

// Writes a length before what has been written since then.
static void insertLength(size_t begin, std::string &out) {
  size_t length = out.size() - begin;
  if (length < 0x80) {
    out.insert(begin, 1, static_cast<char>(length));
    return;
  }
  std::string bytes;
  writeVarint(length, bytes);
  out.insert(begin, bytes);
}

void Builder::write(const Slot &slot, std::string &out) {
  if (const auto *number = std::get_if<uint64_t>(&slot.value)) {
    if (*number != 0) {
      writeVarint(tagOf(slot.number, slot.type), out);
      writeNumber(*number, slot.type, out);
    }
  } else if (const auto *text = std::get_if<std::string>(&slot.value)) {
    if (!text->empty()) {
      writeText(slot.number, *text, out);
    }
  } else if (const auto *numbers = std::get_if<Numbers>(&slot.value)) {
    if (numbers->empty()) {
      return;
    }
    writeVarint(tagOf(slot.number, bytesWire), out);
    size_t begin = out.size();
    for (uint64_t bits : *numbers) {
      writeNumber(bits, slot.type, out);
    }
    insertLength(begin, out);
  } else if (const auto *texts = std::get_if<Texts>(&slot.value)) {
    for (const std::string &text : *texts) {
      writeText(slot.number, text, out);
    }
  } else {
    const auto &messages = std::get<Messages>(slot.value);
    for (size_t i = 0; i < messages.count; ++i) {
      writeVarint(tagOf(slot.number, bytesWire), out);
      size_t begin = out.size();
      messages.all[i]->write(out);
      insertLength(begin, out);
    }
  }
}

void Builder::write(std::string &out) const {
  for (const Slot &slot : slots) {
    if (slot.isSet) {
      write(slot, out);
    }
  }
}

} // namespace drumlin::hlo::proto
