#include "drumlin/import/hlo/ElidedFill.h"

#include "drumlin/support/FloatFormats.h"
#include "drumlin/support/diagnostics/OptionErrors.h"

#include <algorithm>
#include <charconv>
#include <cstring>

namespace drumlin {

Result<ElidedFill> ElidedFill::of(std::string_view text) {
  constexpr std::string_view random = "random:";
  ElidedFill fill;
  fill.isStated = !text.empty();
  if (text.empty()) {
    return fill;
  }
  fill.isRandom = text != "zeros";
  const char *last = text.data() + text.size();
  bool isSeed = false;
  if (text.starts_with(random)) {
    auto [end, error] = std::from_chars(text.data() + random.size(), last, fill.seed);
    isSeed = error == std::errc() && end == last;
  }
  if (fill.isRandom && !isSeed) {
    return diagnose(errors::CommandLineInvalid,
                    "`" + std::string(text) + "` is neither `zeros` nor `random:SEED`",
                    "--fill-elided", "pass `zeros` or a seed, as in `random:1`");
  }
  return fill;
}

// Returns the next number of the SplitMix64 generator.
static uint64_t nextWord(uint64_t &state) {
  uint64_t word = state += 0x9E3779B97F4A7C15;
  word = (word ^ (word >> 30)) * 0xBF58476D1CE4E5B9;
  word = (word ^ (word >> 27)) * 0x94D049BB133111EB;
  return word ^ (word >> 31);
}

// Returns the bits of a number of a real type, computed from the random `word`.
static uint64_t drawn(ElementType type, uint64_t word) {
  if (isFloat(type)) {
    double number = static_cast<double>(word >> 11) * 0x1p-52 - 1.0;
    // Scale types have no sign and hold only powers of two.
    return encode(type, info(type).specials == FloatSpecials::ScaleOnly ? 1.0 : number);
  }
  unsigned bits = info(type).bits - (isSigned(type) ? 1 : 0);
  return word >> (64 - std::min(bits, 4u));
}

void ElidedFill::fill(Tensor &tensor, uint64_t constant) const {
  if (!isRandom) {
    return; // tensors are created with zeros
  }
  ElementType type = tensor.type();
  ElementType part = !isComplex(type)           ? type
                     : type == ElementType::C64 ? ElementType::F32
                                                : ElementType::F64;
  size_t width = storageBytes(part), count = tensor.bytes() / width;
  uint64_t state = seed * 0xD1342543DE82EF95 + constant;
  for (size_t i = 0; i < count; ++i) {
    uint64_t bits = drawn(part, nextWord(state));
    std::memcpy(tensor.data() + i * width, &bits, width); // little-endian
  }
}

} // namespace drumlin
