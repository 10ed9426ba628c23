// Makes foreign text (names, paths, messages) safe for terminals: sequences that would move the
// cursor, set the window's title or trigger an answer are shown as an escape, `\x1b` or `\u202e`,
// instead of taking effect.
#pragma once

#include <string>
#include <string_view>

namespace drumlin {

// Escapes control characters except line feeds and tabs, characters that change the direction of
// writing, and bytes that aren't UTF-8.
std::string visibleText(std::string_view text);

// Escapes text that arrives piece by piece. Drumlin's own colours in it (Colours.h) are kept.
class VisibleText {
public:
  std::string add(std::string_view text);
  std::string finish();

private:
  std::string begun; // an incomplete character or colour at the text's end
};

} // namespace drumlin
