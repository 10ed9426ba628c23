#include "drumlin/support/VisibleText.h"

#include "drumlin/support/Colours.h"

#include <cstdint>
#include <cstdio>

namespace drumlin {

static constexpr size_t notWhole = 0;

static std::string escapeOfByte(unsigned char byte) {
  char text[8];
  std::snprintf(text, sizeof(text), "\\x%02x", byte);
  return text;
}

// Returns the number of bytes of the text's first character, and sets its code point; returns 1 if
// the text doesn't begin with a valid character, and notWhole if the text ends before the character
// does.
static size_t readCharacter(std::string_view text, uint32_t &codePoint) {
  auto first = static_cast<unsigned char>(text[0]);
  size_t size = first < 0x80   ? 1
                : first < 0xc2 ? 0
                : first < 0xe0 ? 2
                : first < 0xf0 ? 3
                : first < 0xf5 ? 4
                               : 0;
  codePoint = UINT32_MAX;
  if (size == 0) {
    return 1;
  }
  uint32_t value = size == 1 ? first : first & (0x7fu >> size);
  for (size_t i = 1; i < size; ++i) {
    if (i == text.size()) {
      return notWhole;
    }
    auto next = static_cast<unsigned char>(text[i]);
    if ((next & 0xc0) != 0x80) {
      return 1;
    }
    value = value << 6 | (next & 0x3f);
  }
  static constexpr uint32_t least[] = {0, 0, 0x80, 0x800, 0x10000};
  if (value < least[size] || value > 0x10ffff || (value >= 0xd800 && value < 0xe000)) {
    return 1;
  }
  codePoint = value;
  return size;
}

static bool isObeyed(uint32_t codePoint) {
  bool isControl = (codePoint < 0x20 && codePoint != '\n' && codePoint != '\t') ||
                   (codePoint >= 0x7f && codePoint < 0xa0);
  // Characters that control the direction of writing: marks, embeddings, overrides and isolates.
  bool isDirection = codePoint == 0x61c || codePoint == 0x200e || codePoint == 0x200f ||
                     (codePoint >= 0x202a && codePoint <= 0x202e) ||
                     (codePoint >= 0x2066 && codePoint <= 0x2069);
  return isControl || isDirection;
}

// Returns the number of bytes of the colour that the text begins with; SIZE_MAX if it begins with
// none, and notWhole if it ends before the colour does.
static size_t readColour(std::string_view text) {
  for (std::string_view sequence : colourSequences) {
    if (text.starts_with(sequence)) {
      return sequence.size();
    }
    if (sequence.starts_with(text)) {
      return notWhole;
    }
  }
  return SIZE_MAX;
}

// Removes text from the start of `text`, and returns it escaped. Keeps an incomplete character or
// colour at the end of `text`, unless `isWhole`: no more text follows then.
static std::string takeVisible(std::string_view &text, bool isWhole, bool keepsColours) {
  std::string made;
  while (!text.empty()) {
    if (size_t colour = keepsColours ? readColour(text) : SIZE_MAX; colour != SIZE_MAX) {
      if (colour == notWhole && !isWhole) {
        break;
      }
      if (colour != notWhole) {
        made += text.substr(0, colour);
        text.remove_prefix(colour);
        continue;
      }
    }
    uint32_t codePoint = 0;
    size_t size = readCharacter(text, codePoint);
    if (size == notWhole && !isWhole) {
      break;
    }
    if (size == notWhole || codePoint == UINT32_MAX) {
      size = 1;
      made += escapeOfByte(static_cast<unsigned char>(text[0]));
    } else if (isObeyed(codePoint) && codePoint < 0x80) {
      made += escapeOfByte(static_cast<unsigned char>(codePoint));
    } else if (isObeyed(codePoint)) {
      char escape[16];
      std::snprintf(escape, sizeof(escape), "\\u%04x", codePoint);
      made += escape;
    } else {
      made += text.substr(0, size);
    }
    text.remove_prefix(size);
  }
  return made;
}

std::string visibleText(std::string_view text) {
  return takeVisible(text, /*isWhole=*/true, /*keepsColours=*/false);
}

std::string VisibleText::add(std::string_view text) {
  begun += text;
  std::string_view left = begun;
  std::string made = takeVisible(left, /*isWhole=*/false, /*keepsColours=*/true);
  begun = std::string(left);
  return made;
}

std::string VisibleText::finish() {
  std::string_view left = begun;
  std::string made = takeVisible(left, /*isWhole=*/true, /*keepsColours=*/true);
  begun.clear();
  return made;
}

} // namespace drumlin
