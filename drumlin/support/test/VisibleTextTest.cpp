#include "drumlin/support/VisibleText.h"

#include "drumlin/support/Colours.h"
#include "drumlin/support/Diagnostics.h"
#include "drumlin/support/diagnostics/SyntaxErrors.h"

#include <gtest/gtest.h>

using namespace drumlin;

// A text, and the output for a terminal.
static const struct Case {
  std::string_view text, visible;
} cases[] = {
    {"", ""},
    {"plain text\twith\nlines", "plain text\twith\nlines"},
    {"größe → 模型 \U0001f600", "größe → 模型 \U0001f600"},
    {"\033]0;title\007", "\\x1b]0;title\\x07"},
    {"\033[2J\033[8m", "\\x1b[2J\\x1b[8m"},
    {"a\rb\b\177", "a\\x0db\\x08\\x7f"},
    {{"\0x", 2}, "\\x00x"},
    // Eight-bit control codes, as a character and as a byte.
    {"\u009b31m", "\\u009b31m"},
    {"\x9b"
     "31m",
     "\\x9b31m"},
    // Characters for the direction of writing.
    {"a\u202eb\u2066c\u200fd", "a\\u202eb\\u2066c\\u200fd"},
    // Invalid UTF-8: cut short, overlong, a surrogate, too large.
    {"\xe2\x82", "\\xe2\\x82"},
    {"\xc0\xaf", "\\xc0\\xaf"},
    {"\xe0\x80\xaf", "\\xe0\\x80\\xaf"},
    {"\xed\xa0\x80", "\\xed\\xa0\\x80"},
    {"\xf4\x90\x80\x80", "\\xf4\\x90\\x80\\x80"},
    {"\xe2\x28\xa1", "\\xe2(\\xa1"},
};

TEST(VisibleText, NothingIsObeyed) {
  for (const Case &each : cases) {
    EXPECT_EQ(visibleText(each.text), each.visible) << each.visible;
  }
}

TEST(VisibleText, PiecesMakeTheWhole) {
  for (const Case &each : cases) {
    for (size_t cut = 0; cut <= each.text.size(); ++cut) {
      VisibleText text;
      std::string made = text.add(each.text.substr(0, cut)) + text.add(each.text.substr(cut));
      EXPECT_EQ(made + text.finish(), each.visible) << each.visible << " cut at " << cut;
    }
  }
}

// Only the sequences that Drumlin itself writes pass, wherever they are split.
TEST(VisibleText, ColoursStay) {
  for (Colour colour :
       {Colour::Bold, Colour::Faint, Colour::Red, Colour::Green, Colour::Yellow, Colour::Cyan}) {
    std::string whole = "a " + coloured("word", colour, true) + " b";
    for (size_t cut = 0; cut <= whole.size(); ++cut) {
      VisibleText text;
      std::string made = text.add(whole.substr(0, cut)) + text.add(whole.substr(cut));
      EXPECT_EQ(made + text.finish(), whole) << cut;
    }
  }
  EXPECT_EQ(visibleText("\033[31m"), "\\x1b[31m");
}

// Names of programs and files appear in messages.
TEST(VisibleText, DiagnosticsAreVisible) {
  Diagnostic error =
      diagnose(errors::SyntaxInvalid, "`\033[2J` isn't known", "a\rb.mlir", "leave `\a` out");
  EXPECT_EQ(error.str(), "a\\x0db.mlir: error D2005: `\\x1b[2J` isn't known\n  hint: leave "
                         "`\\x07` out\n");
}
