// Colours of text on terminals, as ECMA-48's sequences. Who prints says whether it is coloured.
#pragma once

#include <string>
#include <string_view>

namespace drumlin {

enum class Colour { Bold, Faint, Red, Green, Yellow, Cyan };

// The text between the sequence that begins the colour and the one that ends all; the text alone
// where it is empty, or not coloured.
inline std::string coloured(std::string_view text, Colour colour, bool isColoured) {
  if (!isColoured || text.empty()) {
    return std::string(text);
  }
  constexpr std::string_view numbers[] = {"1", "2", "31", "32", "33", "36"};
  std::string made = "\033[";
  made.append(numbers[static_cast<size_t>(colour)]).append("m").append(text).append("\033[0m");
  return made;
}

} // namespace drumlin
