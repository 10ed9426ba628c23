#include "drumlin/hlo/proto/Builder.h"

namespace drumlin::hlo::proto {

void ReverseBytes::grow(size_t count) {
  constexpr size_t least = 1024;
  size_t used = size(), larger = std::max({least, 2 * capacity, used + count});
  auto moved = std::make_unique_for_overwrite<char[]>(larger);
  std::copy_n(memory.get() + begin, used, moved.get() + larger - used);
  memory = std::move(moved);
  capacity = larger;
  begin = larger - used;
}

void Builder::write(uint32_t number, const Field &field, ReverseBytes &out) {
  auto text = [&](std::string_view text) {
    size_t before = out.size();
    out.text(text);
    out.beginField(number, before);
  };
  switch (field.kind) {
  case Kind::Number:
    if (field.number != 0) {
      out.number(field.number, field.type);
      out.varint(tagOf(number, field.type));
    }
    return;
  case Kind::Text:
    if (field.count != 0) {
      text({field.text, field.count});
    }
    return;
  case Kind::Numbers: {
    size_t before = out.size();
    for (uint32_t i = field.count; i > 0; --i) {
      out.number(field.numbers[i - 1], field.type);
    }
    out.beginField(number, before);
    return;
  }
  case Kind::Texts:
    for (uint32_t i = field.count; i > 0; --i) {
      text(field.texts[i - 1]);
    }
    return;
  case Kind::Messages:
    for (uint32_t i = field.count; i > 0; --i) {
      size_t before = out.size();
      field.messages[i - 1]->write(out);
      out.beginField(number, before);
    }
    return;
  }
}

void Builder::writeFields(ReverseBytes &out, uint32_t first, uint32_t end) const {
  constexpr uint32_t bits = 64;
  for (uint32_t word = maxFields / bits; word-- > 0;) {
    for (uint64_t rest = isSet[word]; rest != 0;) {
      auto bit = static_cast<uint32_t>(std::bit_width(rest)) - 1;
      rest ^= uint64_t(1) << bit;
      uint32_t number = word * bits + bit;
      if (number >= first && number < end) {
        write(number, fields[number], out);
      }
    }
  }
}

} // namespace drumlin::hlo::proto
