// Colours of text on terminals, as ECMA-48 escape sequences. The caller decides whether text is
// coloured.
#pragma once

#include <iterator>
#include <string>
#include <string_view>

namespace drumlin {

enum class Colour { Bold, Faint, Red, Green, Yellow, Cyan };

// The sequences that begin the colours, then the sequence that ends any colour.
inline constexpr std::string_view colourSequences[] = {
    "\033[1m", "\033[2m", "\033[31m", "\033[32m", "\033[33m", "\033[36m", "\033[0m"};

// Encloses a text in the sequences that begin and end a colour; returns it unchanged if it is empty
// or isn't to be coloured.
inline std::string coloured(std::string_view text, Colour colour, bool isColoured) {
  if (!isColoured || text.empty()) {
    return std::string(text);
  }
  std::string made(colourSequences[static_cast<size_t>(colour)]);
  return made.append(text).append(std::end(colourSequences)[-1]);
}

} // namespace drumlin
