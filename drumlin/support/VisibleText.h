// Text of others (names, paths, messages) for terminals: what would move the cursor, set the
// window's title or type an answer is shown as an escape, `\x1b` or `\u202e`, instead of being
// obeyed.
#pragma once

#include <string>
#include <string_view>

namespace drumlin {

// Escapes control characters but line feeds and tabs, those that change the direction of writing,
// and bytes that are no UTF-8.
std::string visibleText(std::string_view text);

// The same for text that comes piece by piece and has Drumlin's own colours in it (Colours.h),
// which stay.
class VisibleText {
public:
  std::string add(std::string_view text);
  std::string finish();

private:
  std::string begun; // of a character or a colour, whose end is missing
};

} // namespace drumlin
